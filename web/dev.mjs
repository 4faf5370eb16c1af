// A server for work on the page: web/dist from the folder, /v1 from the control socket of a daemon that runs.
//
//   node build.mjs && node dev.mjs SOCKET [PORT]
//
// Whoever reaches it may do what the socket allows, without a token: it listens on loopback, and is no part of the product.
// A browser reaches it too, for any page that it shows; so whoever was sent by another page is refused.

import { createReadStream } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [socketPath, port = "7071"] = process.argv.slice(2);
if (!socketPath) {
  console.error("error: No control socket was named: node dev.mjs DIR/control.sock [PORT]");
  process.exit(2);
}
const dist = join(dirname(fileURLToPath(import.meta.url)), "dist");
const KINDS = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml" };

function file(name, answer) {
  const stream = createReadStream(join(dist, name));
  stream.on("open", () => answer.writeHead(200, { "content-type": KINDS[name.split(".").pop()] ?? "text/plain", "cache-control": "no-cache" }));
  stream.on("error", () => answer.writeHead(404).end());
  stream.pipe(answer);
}

/** True if neither another page asked, nor one under another name, as after DNS rebinding. */
function isOurs({ host, origin, "sec-fetch-site": site }) {
  const { port: here } = server.address();
  const isNamed = host === `127.0.0.1:${here}` || host === `localhost:${here}`;
  const isSame = origin === undefined || origin === `http://${host}`;
  return isNamed && isSame && (site === undefined || site === "same-origin" || site === "none");
}

const server = createServer((asked, answer) => {
  if (!isOurs(asked.headers)) {
    answer.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end("Cannot answer another page than the one from here\n");
    return;
  }
  const { pathname } = new URL(asked.url, "http://localhost");
  if (pathname === "/") return file("index.html", answer);
  const asset = /^\/assets\/([a-z]+\.[a-z]+)$/.exec(pathname);
  if (asset) return file(asset[1], answer);
  const { method, url: path } = asked;
  const headers = { ...asked.headers, host: "localhost" };
  const passed = request({ socketPath, method, path, headers }, (said) => {
    answer.writeHead(said.statusCode, said.headers);
    said.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  asked.pipe(passed);
});
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
