// A real OpenID Connect provider (npm: oidc-provider, certified) on loopback, for tests.
// node openid_provider.mjs FRONTEND PORT SETTINGS
// SETTINGS is a JSON file: {clients, issuer?, people: {NAME: claims}}; people are read anew at each sign-in.
// Whoever signs in as NAME is NAME. It prints "ready", and ends with its input.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

const [, , frontend, port, path] = process.argv;
const settings = () => JSON.parse(readFileSync(path, "utf8"));
const from = createRequire(`${frontend}/package.json`);
const { Provider } = await import(pathToFileURL(from.resolve("oidc-provider")).href);

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
const { clients, issuer } = settings();

const provider = new Provider(issuer ?? `http://127.0.0.1:${port}`, {
  clients,
  jwks: { keys: [{ ...key, kid: randomUUID(), use: "sig", alg: "ES256" }] }, // another at each start
  cookies: { keys: [randomUUID()] },
  scopes: ["openid", "profile", "email"],
  claims: { openid: ["sub"], profile: ["preferred_username", "name", "groups"] },
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  pkce: { required: () => true },
  findAccount: (context, login) => ({
    accountId: login,
    claims: () => ({ sub: login, ...settings().people[login] }),
  }),
  features: { rpInitiatedLogout: { enabled: true } },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
// Who starts it keeps its input open: it ends with them.
process.stdin.on("end", () => process.exit(0)).resume();
