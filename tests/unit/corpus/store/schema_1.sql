-- A store of schema 1 as release 0.1.0 wrote it: two tenants, two versions of one document, vectors of 8 numbers.
CREATE TABLE chunks (version_id INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE, ordinal INTEGER NOT NULL,
    chunk_id TEXT NOT NULL, heading TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL,
    metadata TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (version_id, ordinal));
INSERT INTO "chunks" VALUES(1,0,'手册/电梯.md#0767e121cde230a9','',6,22,'第一条　电梯维修费用由业主承担。','{"article":"第一条"}','61b2b5de71ac11edecb246ef0b077686a1edd3eb7967cb6b2a340d57aed3d7ef');
INSERT INTO "chunks" VALUES(1,1,'手册/电梯.md#48538533b8887823','',24,36,'第二条　录像保存三十日。','{"article":"第二条"}','d394da9bc372c5fbd9d5e79e9ac427f887a3c16526bf6826a80d105f827285b9');
INSERT INTO "chunks" VALUES(2,0,'secret#92b36e63888700bf','',0,4,'工资表。','{}','b7a2876fe5604124d0e621089c8915c24001f7309f6a28262c558a98ade68f7c');
INSERT INTO "chunks" VALUES(3,0,'手册/电梯.md#0767e121cde230a9','',6,22,'第一条　电梯维修费用由业主承担。','{"article":"第一条"}','61b2b5de71ac11edecb246ef0b077686a1edd3eb7967cb6b2a340d57aed3d7ef');
INSERT INTO "chunks" VALUES(3,1,'手册/电梯.md#9881af7141cea923','',24,36,'第二条　录像保存九十日。','{"article":"第二条"}','d0eab2ba3de7a9f8e40b91727338d37b7c25752e6d65e16d3bfa9e43f802d3fb');
INSERT INTO "chunks" VALUES(4,0,'secret#238b1447bb8c7644','',0,21,'Other tenant''s words.','{}','833ec6c55cbc410dde6afbd4fd264a068ed67295ac16bb8a193d41525ed40e9d');
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO "counters" VALUES('generation',4);
CREATE TABLE documents (tenant TEXT, doc_id TEXT, version TEXT NOT NULL, groups TEXT NOT NULL,
    PRIMARY KEY (tenant, doc_id));
INSERT INTO "documents" VALUES('default','手册/电梯.md','7a1ac5b1f0813fa6','[]');
INSERT INTO "documents" VALUES('default','secret','2af391528a88192b','["hr"]');
INSERT INTO "documents" VALUES('other','secret','098c3d5a42b16a8e','[]');
CREATE TABLE embedder (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), name TEXT NOT NULL,
    dimension INTEGER NOT NULL);
INSERT INTO "embedder" VALUES(1,'hash',8);
CREATE TABLE tenants (tenant TEXT PRIMARY KEY, generation INTEGER NOT NULL);
INSERT INTO "tenants" VALUES('default',3);
INSERT INTO "tenants" VALUES('other',4);
CREATE TABLE terms (rules INTEGER, key TEXT, counts TEXT NOT NULL, PRIMARY KEY (rules, key));
INSERT INTO "terms" VALUES(1,'d394da9bc372c5fbd9d5e79e9ac427f887a3c16526bf6826a80d105f827285b9','{"电梯": 1, "第2条": 1, "2": 1, "录像": 1, "保存": 1, "30": 1, "日": 1}');
INSERT INTO "terms" VALUES(1,'b7a2876fe5604124d0e621089c8915c24001f7309f6a28262c558a98ade68f7c','{"工资": 2, "工资表": 1}');
INSERT INTO "terms" VALUES(1,'61b2b5de71ac11edecb246ef0b077686a1edd3eb7967cb6b2a340d57aed3d7ef','{"电梯": 2, "第1条": 1, "1": 1, "维修": 1, "费用": 1, "由": 1, "业主": 1, "承担": 1}');
INSERT INTO "terms" VALUES(1,'d0eab2ba3de7a9f8e40b91727338d37b7c25752e6d65e16d3bfa9e43f802d3fb','{"电梯": 1, "第2条": 1, "2": 1, "录像": 1, "保存": 1, "90": 1, "日": 1}');
INSERT INTO "terms" VALUES(1,'833ec6c55cbc410dde6afbd4fd264a068ed67295ac16bb8a193d41525ed40e9d','{"secret": 1, "other": 1, "tenant": 1, "s": 1, "words": 1}');
CREATE TABLE vectors (embedder TEXT, key TEXT, vector BLOB NOT NULL, PRIMARY KEY (embedder, key));
INSERT INTO "vectors" VALUES('hash','61b2b5de71ac11edecb246ef0b077686a1edd3eb7967cb6b2a340d57aed3d7ef',X'8F3550BE0CE046BF8BD1A5BE800D2EBE12F7B6BE1920923D657038BE0D9F723E');
INSERT INTO "vectors" VALUES('hash','d394da9bc372c5fbd9d5e79e9ac427f887a3c16526bf6826a80d105f827285b9',X'945D903E54BD92BEB9BF15BF06CF49BE3BE6F1BD5F8E493D362069BD635F29BF');
INSERT INTO "vectors" VALUES('hash','b7a2876fe5604124d0e621089c8915c24001f7309f6a28262c558a98ade68f7c',X'309FCFBD8BD43E3E9FF466BECCE612BFD8D0A53C8C6C42BE03D2073FF5C001BF');
INSERT INTO "vectors" VALUES('hash','d0eab2ba3de7a9f8e40b91727338d37b7c25752e6d65e16d3bfa9e43f802d3fb',X'880DDC3D782824BF4F2C28BFCD6EAF3DE660B0BDD7F59DBEA327233EA7BBD0BD');
INSERT INTO "vectors" VALUES('hash','833ec6c55cbc410dde6afbd4fd264a068ed67295ac16bb8a193d41525ed40e9d',X'05690C3F15426BBD990FA73D8B4D2C3E3B64F93D520AC9BEAE302FBFCF3F1DBE');
CREATE TABLE versions (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, doc_id TEXT NOT NULL, version TEXT NOT NULL,
    title TEXT NOT NULL, metadata TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (tenant, doc_id, version),
    FOREIGN KEY (tenant, doc_id) REFERENCES documents ON DELETE CASCADE);
INSERT INTO "versions" VALUES(1,'default','手册/电梯.md','dc13e7b292550106','电梯','{"year":2023,"draft":false,"note":null,"tags":[]}','# 电梯

第一条　电梯维修费用由业主承担。

第二条　录像保存三十日。');
INSERT INTO "versions" VALUES(2,'default','secret','2af391528a88192b','工资','{"page":0}','工资表。');
INSERT INTO "versions" VALUES(3,'default','手册/电梯.md','7a1ac5b1f0813fa6','电梯','{"year":2024,"draft":false,"note":null,"tags":[]}','# 电梯

第一条　电梯维修费用由业主承担。

第二条　录像保存九十日。');
INSERT INTO "versions" VALUES(4,'other','secret','098c3d5a42b16a8e','secret','{}','Other tenant''s words.');
CREATE INDEX chunks_by_id ON chunks (chunk_id);
CREATE INDEX chunks_by_key ON chunks (key);
PRAGMA user_version = 1;
