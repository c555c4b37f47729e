# The service without the embedded PostgreSQL: DATABASE_URL or DATABASE_URL_FILE must be set. docs/operators/deployment.md says how to run it.
FROM node:24.21-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# A workspace: npm looks for it.
COPY client/package.json client/
# `--build-arg npm_config_include=peer` adds the libraries of pay as you go, 95 MB.
ARG npm_config_include
# Optional packages are the embedded PostgreSQL and a Node of its own; neither is used here.
RUN ["npm", "ci", "--omit=dev", "--omit=optional", "--omit=peer", "--ignore-scripts"]

FROM node:24.21-slim
ENV NODE_ENV=production \
    CIVIC_HTTP_HOST=0.0.0.0 \
    CIVIC_OPS_HOST=0.0.0.0 \
    CIVIC_LOG_FORMAT=json
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY client client
COPY commands commands
COPY contract contract
COPY docs docs
COPY domain domain
COPY infra infra
COPY plumbing plumbing
COPY projections projections
COPY queries queries
COPY src src
# `docker exec CONTAINER civic …`: the program is the command.
RUN ["ln", "-s", "/app/src/main.ts", "/usr/local/bin/civic"]
# Everything above belongs to root and is not written to: the file system may be read-only.
USER 1000:1000
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
# Liveness: an orchestrator replaces an unhealthy process, which helps nothing while the database is away. Proxies ask /readyz.
# The check starts a Node, which takes seconds on a small busy machine.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "src/main.ts"]
CMD ["serve"]
