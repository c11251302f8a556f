import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

configure({ asyncUtilTimeout: 30_000 }); // guards against hanging, too
afterEach(cleanup);
