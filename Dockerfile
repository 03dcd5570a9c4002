# Hooktape in a container. The base images are arguments, so that a mirror or a different Debian version can replace them.
ARG BUILD_IMAGE=docker.io/library/node:22-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json bun.lock bunfig.toml ./
RUN npx --yes bun@1.4.5 install --frozen-lockfile --production
COPY . .
ARG HOOKTAPE_COMMIT=unknown
RUN npx --yes bun@1.4.5 run build && mkdir -p /out/data && cp dist/hooktape /out/hooktape

# No command runs in this stage, so a base without a shell is sufficient if it has glibc and libgcc.
FROM ${BASE_IMAGE}
ARG HOOKTAPE_COMMIT=unknown
LABEL org.opencontainers.image.title="Hooktape" \
      org.opencontainers.image.description="Self-hosted webhook recorder" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/hooktape/hooktape" \
      org.opencontainers.image.version="2.0.0" \
      org.opencontainers.image.revision="${HOOKTAPE_COMMIT}"
COPY --from=build /out/hooktape /usr/local/bin/hooktape
COPY --from=build --chown=65532:65532 /out/data /data
ENV HOOKTAPE_HOST=0.0.0.0 HOOKTAPE_DATA_DIR=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 4665
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["hooktape", "health"]
ENTRYPOINT ["hooktape"]
CMD ["serve"]
