// Packs what the build made, once and as small as it gets: the server sends the packed file to whoever can unpack it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const SHORTEST = 1500; // bytes: what fits one packet is sent as it is
const dist = new URL("../dist/", import.meta.url);

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!/\.(?:js|css|svg)$/.test(name)) continue;
  const bytes = readFileSync(new URL(name, dist));
  if (bytes.length < SHORTEST) continue;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(new URL(`${name}.br`, dist), brotliCompressSync(bytes, { params }));
  writeFileSync(new URL(`${name}.gz`, dist), gzipSync(bytes, { level: 9 }));
}
