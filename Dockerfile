# The service without the embedded PostgreSQL: DATABASE_URL must be set. docs/deployment.md says how to run it.
FROM node:24.21-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# A workspace: npm looks for it.
COPY client/package.json client/
# `--build-arg npm_config_include=peer` adds the libraries of pay as you go, 95 MB.
ARG npm_config_include
# Optional packages are the embedded PostgreSQL and a Node of its own; neither is used here.
RUN ["npm", "ci", "--omit=dev", "--omit=optional", "--omit=peer", "--ignore-scripts"]

# The bundle is made with packages that the image does not need.
FROM node:24.21-slim AS program
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client client
RUN ["npm", "ci", "--omit=dev", "--omit=peer", "--ignore-scripts"]
COPY commands commands
COPY contract contract
COPY domain domain
COPY infra infra
COPY projections projections
COPY queries queries
COPY src src
COPY tools tools
RUN ["node", "tools/ensure.mjs", "--without-tools"]

FROM node:24.21-slim
ENV NODE_ENV=production \
    CIVIC_HTTP_HOST=0.0.0.0 \
    CIVIC_OPS_HOST=0.0.0.0 \
    CIVIC_LOG_FORMAT=json
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=program /app/dist dist
COPY package.json ./
COPY client client
COPY commands commands
COPY contract contract
COPY docs docs
COPY domain domain
COPY infra infra
COPY projections projections
COPY queries queries
COPY src src
# Everything above belongs to root and is not written to: the file system may be read-only.
USER 1000:1000
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
# The check starts a Node, which takes seconds on a small busy machine.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.mjs"]
CMD ["serve"]
