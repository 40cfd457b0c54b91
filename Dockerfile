# Two stages: wheels are checked and built in the first, the second has the interpreter and what it runs.
# Another base, such as one pinned by digest or from a mirror: --build-arg PYTHON_IMAGE=…
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1
RUN python -m venv /opt/build && python -m venv --without-pip /opt/gapseek
WORKDIR /src
COPY requirements-build.lock requirements.lock ./
RUN /opt/build/bin/python -m pip install --require-hashes -r requirements-build.lock \
    && /opt/build/bin/python -m pip wheel --require-hashes --no-build-isolation --wheel-dir /wheels -r requirements.lock
COPY . .
RUN /opt/build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/build/bin/python -m pip --python /opt/gapseek/bin/python install --no-index --no-deps --compile /wheels/*.whl \
    && /opt/build/bin/python -m pip --python /opt/gapseek/bin/python check

FROM ${PYTHON_IMAGE}
# The number is fixed, so that a volume keeps its owner from one image to the next. The base's own pip is not for use.
RUN groupadd --gid 10001 gapseek \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin gapseek \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data \
    && packages="$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
    && rm -rf "${packages:?}"/* /usr/local/bin/pip*
COPY --from=build /opt/gapseek /opt/gapseek
ENV PATH=/opt/gapseek/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    GAPSEEK_DATA=/data GAPSEEK_HOST=0.0.0.0 GAPSEEK_PORT=8765
USER 10001:10001
# Empty and not writable: a `.env` is read from the folder of work, and this image has none.
WORKDIR /srv
VOLUME ["/data"]
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m --retries=3 \
    CMD ["python", "-I", "-c", "import http.client as h, os, sys; c = h.HTTPConnection('127.0.0.1', int(os.environ['GAPSEEK_PORT']), timeout=4); c.request('GET', '/ready'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["gapseek"]
CMD ["serve"]
