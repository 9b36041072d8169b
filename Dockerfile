# syntax=docker/dockerfile:1

# One image, two modes: `pagemill serve --no-workers` and `pagemill worker`.

# The version of Python that the tests run on.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
ARG UV_IMAGE=ghcr.io/astral-sh/uv:0.13.7

FROM ${UV_IMAGE} AS uv

FROM ${PYTHON_IMAGE} AS build
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_CACHE_DIR=/var/cache/uv \
    UV_COMPILE_BYTECODE=1 \
    UV_LINK_MODE=copy \
    UV_PYTHON_DOWNLOADS=never \
    VIRTUAL_ENV=/opt/pagemill
RUN uv venv --python /usr/local/bin/python3 "${VIRTUAL_ENV}"
WORKDIR /build
# Packages change seldom and take long, so they come before the code.
COPY requirements-cluster.lock ./
RUN --mount=type=cache,target=/var/cache/uv \
    uv pip install --require-hashes --requirement requirements-cluster.lock
COPY pyproject.toml README.md LICENSE requirements.lock ./
COPY src ./src
RUN --mount=type=cache,target=/var/cache/uv \
    uv build --wheel --build-constraints requirements.lock --require-hashes --out-dir dist \
    && uv pip install --offline --no-deps dist/*.whl \
    # Tests and stubs of packages are of no use to a service.
    && find "${VIRTUAL_ENV}" -type d -name tests -prune -exec rm -rf {} + \
    && find "${VIRTUAL_ENV}" -name '*.pyi' -delete

FROM ${PYTHON_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="pagemill" \
      org.opencontainers.image.description="Documents in, clean Markdown, JSON, text and HTML out" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# Reading processes are children; tini is the first process, so that signals and orphans are always seen to.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini=0.19.* \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && groupadd --gid 10001 pagemill \
    && useradd --uid 10001 --gid 10001 --home-dir /var/lib/pagemill --shell /usr/sbin/nologin pagemill \
    && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/pagemill
# `--build-arg LIBREOFFICE=yes` makes the variant that can also render office files to pages.
ARG LIBREOFFICE=no
RUN if [ "${LIBREOFFICE}" = yes ]; then \
        apt-get update \
        && apt-get install --yes --no-install-recommends \
            libreoffice-writer-nogui=4:7.4.* libreoffice-calc-nogui=4:7.4.* libreoffice-impress-nogui=4:7.4.* \
            fonts-liberation2=2.1.* fonts-dejavu-core=2.37-* fonts-noto-cjk=1:2022* \
        && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=build /opt/pagemill /opt/pagemill
COPY --chmod=0755 deploy/docker/healthcheck.py /usr/local/bin/pagemill-health
# Only /var/lib/pagemill and /tmp are written to, so the root may be mounted read-only.
ENV PATH=/opt/pagemill/bin:$PATH \
    HOME=/var/lib/pagemill \
    XDG_CACHE_HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PAGEMILL_HOST=0.0.0.0 \
    PAGEMILL_PORT=8080 \
    PAGEMILL_METRICS_PORT=9100 \
    PAGEMILL_DATA_DIR=/var/lib/pagemill \
    PAGEMILL_LOG_FORMAT=json
WORKDIR /var/lib/pagemill
USER 10001:10001
VOLUME ["/var/lib/pagemill"]
EXPOSE 8080 9100
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["pagemill-health"]
ENTRYPOINT ["tini", "--", "pagemill"]
CMD ["serve"]
