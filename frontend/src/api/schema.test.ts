// @vitest-environment node
import { existsSync, readFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import { expect, test } from "vitest";

const OPENAPI = new URL("../../../docs/openapi.json", import.meta.url);
const withoutHeader = (text: string) => text.slice(text.indexOf("export interface paths"));

test.skipIf(!existsSync(OPENAPI))(
  "the API types are those of docs/openapi.json (renew: npm run api:types)",
  async () => {
    const fresh = astToString(await openapiTS(OPENAPI, { defaultNonNullable: false }));
    const checkedIn = readFileSync(new URL("schema.d.ts", import.meta.url), "utf8");
    expect(withoutHeader(checkedIn).trim() === withoutHeader(fresh).trim()).toBe(true);
  },
  60_000, // guards against hanging: the document is large, and the machine may be busy
);
