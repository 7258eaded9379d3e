# syntax=docker/dockerfile:1

FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
RUN rustup target add wasm32-unknown-unknown
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo xtask build-app \
 && SQLX_OFFLINE=true cargo build --release --locked --package lowerline-backend --package lowerline-cli --bins \
 && mkdir -p /out/bin && cp target/release/lowerline-server target/release/lowerline /out/bin/ \
 && cp -r target/app /out/app

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin lowerline \
 && install -d -o lowerline -g lowerline -m 0700 /data
COPY --from=build /out/bin/ /usr/local/bin/
COPY --from=build /out/app /usr/share/lowerline/app
ENV LOWERLINE_DATA=/data LOWERLINE_APP=/usr/share/lowerline/app LOWERLINE_LISTEN=0.0.0.0:8080
USER lowerline
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["lowerline-server"]
CMD ["serve", "--migrate"]
