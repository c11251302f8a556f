import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { fieldError } from "../../api/problem";
import { changePassword, meQuery, metaQuery, type Me } from "../../api/session";
import { Answer, Failed } from "../../app/Answer";
import { Page } from "../../app/Page";
import { useMessages } from "../../i18n";
import { setPreferences, usePreferences } from "../../preferences";
import { Button } from "../../ui/Button";
import { Card, Cards } from "../../ui/Card";
import { Checkbox, Segments, TextField } from "../../ui/Field";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import styles from "./AccountPage.module.css";

/** The person: who, what they may do, how pages look, password. */
export function AccountPage(): ReactNode {
  const { account, shell } = useMessages();
  const me = useQuery(meQuery);
  return (
    <Page title={shell.account}>
      <Cards>
        <Card title={account.profile}>
          <Answer query={me}>{(data) => <Profile me={data} />}</Answer>
        </Card>
        <Card title={account.appearance}>
          <Appearance />
        </Card>
        <Card title={account.password}>
          <Password />
        </Card>
      </Cards>
      <About />
    </Page>
  );
}

function Profile({ me }: { me: Me }) {
  const { account, fields, access } = useMessages();
  return (
    <KeyValue
      items={[
        [fields.user, me.username],
        me.display_name !== "" && [fields.name, me.display_name],
        [
          access.roles,
          me.role_bindings.map((b) => access.bindingText(b.role, b.scope_text)).join(", ") || null,
        ],
        [account.permissions, me.permissions_anywhere.join(", ")],
      ]}
    />
  );
}

function Appearance() {
  const { account, shell } = useMessages();
  const { theme, language, zone, density, shortcuts } = usePreferences();
  return (
    <div className={styles["choices"]}>
      <span>{shell.theme}</span>
      <Segments
        label={shell.theme}
        value={theme}
        options={[
          ["light", shell.light],
          ["dark", shell.dark],
          ["system", shell.asSystem],
        ]}
        onChange={(next) => setPreferences({ theme: next })}
      />
      <span>{shell.language}</span>
      <Segments
        label={shell.language}
        value={language}
        options={[
          ["en", "English"],
          ["zh-CN", "简体中文"],
          ["system", shell.asBrowser],
        ]}
        onChange={(next) => setPreferences({ language: next })}
      />
      <span>{account.zone}</span>
      <Segments
        label={account.zone}
        value={zone}
        options={[
          ["local", account.local],
          ["utc", "UTC"],
        ]}
        onChange={(next) => setPreferences({ zone: next })}
      />
      <span>{account.density}</span>
      <Segments
        label={account.density}
        value={density}
        options={[
          ["compact", account.compact],
          ["regular", account.regular],
        ]}
        onChange={(next) => setPreferences({ density: next })}
      />
      <span>{account.keyboard}</span>
      <Checkbox
        label={account.singleKeys}
        checked={shortcuts}
        onChange={(next) => setPreferences({ shortcuts: next })}
      />
    </div>
  );
}

function Password() {
  const { account } = useMessages();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword({ current_password: current, new_password: next }),
    onSuccess: () => {
      setCurrent("");
      setNext("");
    },
  });
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <TextField
        label={account.currentPassword}
        type="password"
        autoComplete="current-password"
        value={current}
        error={fieldError(change.error, "current_password")}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label={account.newPassword}
        type="password"
        autoComplete="new-password"
        value={next}
        error={fieldError(change.error, "new_password")}
        onChange={(event) => setNext(event.target.value)}
      />
      <div>
        <Button type="submit" disabled={current === "" || next === "" || change.isPending}>
          {account.changePassword}
        </Button>
      </div>
      {change.isSuccess && <Notice tone="ok">{account.passwordChanged}</Notice>}
      {change.error !== null && <Failed error={change.error} />}
    </form>
  );
}

function About() {
  const { data } = useQuery(metaQuery);
  if (data === undefined) return null;
  return (
    <p className="muted">
      {data.product} {data.version} · API {data.api_version} · <a href="/api/v1/openapi.json">OpenAPI</a>
    </p>
  );
}
