"""Schema 1 to schema 2, as statements of one transaction."""

from __future__ import annotations

from typing import Final

FROM_1: Final = """
CREATE TABLE fingerprints (part TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO fingerprints SELECT 'embedder', name || ' (' || dimension || ' dimensions)' FROM embedder;
INSERT INTO fingerprints SELECT 'tokenizer', CAST(max(rules) AS TEXT) FROM terms HAVING max(rules) IS NOT NULL;
INSERT INTO fingerprints SELECT 'chunker', 'rules 1, 500 characters, overlap 50' WHERE EXISTS (SELECT 1 FROM versions);

CREATE TABLE new_documents (tenant TEXT NOT NULL, doc_id TEXT NOT NULL,
    current INTEGER NOT NULL REFERENCES versions DEFERRABLE INITIALLY DEFERRED,
    given_groups TEXT NOT NULL, set_groups TEXT, set_metadata TEXT NOT NULL DEFAULT '{}',
    groups TEXT GENERATED ALWAYS AS (coalesce(set_groups, given_groups)) VIRTUAL,
    PRIMARY KEY (tenant, doc_id));
INSERT INTO new_documents (tenant, doc_id, current, given_groups)
    SELECT tenant, doc_id, versions.id, groups FROM documents JOIN versions USING (tenant, doc_id, version);
CREATE TABLE new_versions (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, doc_id TEXT NOT NULL, version TEXT NOT NULL,
    chunker TEXT NOT NULL, created REAL, title TEXT NOT NULL, given TEXT NOT NULL, extracted TEXT NOT NULL,
    text TEXT NOT NULL, UNIQUE (tenant, doc_id, version, chunker),
    FOREIGN KEY (tenant, doc_id) REFERENCES documents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
INSERT INTO new_versions
    SELECT id, tenant, doc_id, version, 'rules 1, 500 characters, overlap 50', NULL, title, metadata, '{}', text
    FROM versions;
DROP TABLE documents;
DROP TABLE versions;
ALTER TABLE new_documents RENAME TO documents;
ALTER TABLE new_versions RENAME TO versions;
CREATE INDEX documents_by_current ON documents (current);

CREATE TABLE new_vectors (key TEXT NOT NULL, embedder TEXT NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (key, embedder));
INSERT INTO new_vectors SELECT key, value, vector FROM vectors, fingerprints WHERE part = 'embedder' ORDER BY key;
DROP TABLE vectors;
ALTER TABLE new_vectors RENAME TO vectors;
CREATE TABLE new_terms (key TEXT NOT NULL, rules TEXT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (key, rules));
INSERT INTO new_terms SELECT key, CAST(rules AS TEXT), counts FROM terms ORDER BY key;
DROP TABLE terms;
ALTER TABLE new_terms RENAME TO terms;

CREATE TABLE unclaimed (key TEXT PRIMARY KEY, since REAL NOT NULL);
INSERT INTO unclaimed SELECT DISTINCT key, CAST(strftime('%s', 'now') AS REAL) FROM vectors
    WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.key = vectors.key);
DROP TABLE embedder;
"""
"""Vectors that no chunk has, paid for by an ingest that was cut off, wait as unclaimed from the migration on."""
