/* API key settings: list, create and revoke keys. A key is shown only once. */

import type { ApiKey, ApiKeyInput } from '../../features/keys/model.ts';
import { maxKeysPerAccount, maxNameCharacters } from '../../shared/limits.ts';
import { api } from '../kit/api.ts';
import { Button, Empty } from '../kit/controls.tsx';
import { confirm, showSecretOnce } from '../kit/dialogs.tsx';
import { choice, flag, text } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Card, Loaded, Row } from '../kit/page.tsx';
import type { SchemaOf } from '../kit/schema.ts';
import { LastUsed, Time, Until } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';
import { ExpiringKeys, expiryOf } from './expiring-keys.tsx';

export function KeysSection() {
  const keys = useQuery('keys', api.keys);
  const revoke = (key: ApiKey) =>
    confirm({
      title: `Revoke ${visibleName(key.name)}?`,
      text: "Anything that uses this key stops working immediately. This can't be undone.",
      button: 'Revoke',
      run: () => api.revokeKey(key.id),
      onDone: keys.reload,
      toast: `${visibleName(key.name)} was revoked.`,
    });
  return (
    <Card
      title="API keys"
      lead={
        <>
          For scripts and services: <code>Authorization: Bearer htk_…</code>. A key can do everything you can do with
          endpoints and events, unless it's read-only. Try it in the <a href="/docs">API explorer</a>.
        </>
      }
    >
      {keys.value && <ExpiringKeys keys={keys.value} />}
      <CreateKeyForm onCreated={keys.reload} />
      <Loaded query={keys} what="the keys" rows={2} inCard>
        {list =>
          list.length === 0 ? (
            <Empty title="No keys yet">
              Each key is shown once, when you create it. You can have up to {maxKeysPerAccount}.
            </Empty>
          ) : (
            <ul class="rows">
              {list.map(key => (
                <KeyRow key={key.id} apiKey={key} onRevoke={() => revoke(key)} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

const lifetime = choice({
  label: 'Expires after',
  options: [
    { id: '30d', label: '30 days' },
    { id: '90d', label: '90 days' },
    { id: '365d', label: '1 year' },
    { id: 'never', label: 'Never' },
  ],
});
const schema = {
  name: text({
    label: 'Name',
    placeholder: 'Nightly import',
    maxLength: maxNameCharacters,
    required: 'Enter a name.',
  }),
  expiresIn: { ...lifetime, to: (draft: string) => (draft === 'never' ? null : draft) },
  readOnly: flag({
    label: 'Read-only',
    hint: "Can read and stream events, but can't change, replay or delete anything.",
    on: true,
    off: false,
  }),
} satisfies SchemaOf<ApiKeyInput>;

function CreateKeyForm({ onCreated }: { onCreated: () => void }) {
  const form = useForm({
    schema,
    initial: { expiresIn: '90d' },
    messageAt: 'name',
    save: api.createKey,
    onSaved(created) {
      onCreated();
      void showSecretOnce({
        title: 'Save your new key',
        text: "Copy it now. Hooktape stores only a hash of it, so you won't see it again.",
        secret: created?.key ?? '',
        button: "I've saved it",
      });
    },
  });
  return (
    <InlineForm form={form} class="" submit="Create key" submitKind="primary" isLocked={form.draft.name.trim() === ''}>
      <div class="two">
        <Inputs form={form} paths={['name', 'expiresIn']} />
      </div>
      <Inputs form={form} paths={['readOnly']} />
    </InlineForm>
  );
}

const KeyRow = ({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) => (
  <Row
    name={
      <>
        {visibleName(apiKey.name)} {apiKey.readOnly && <span class="badge muted">Read-only</span>}{' '}
        <Expiry of={apiKey} />
      </>
    }
    about={
      <>
        <code>htk_…{apiKey.last4}</code> · created {apiKey.app && `by ${visibleLine(apiKey.app.name)}, `}
        <Time at={apiKey.createdAt} long /> · <LastUsed at={apiKey.lastUsedAt} />
        {apiKey.expiresAt !== null && expiryOf(apiKey) === 'later' && (
          <>
            {' '}
            · expires <Until at={apiKey.expiresAt} />
          </>
        )}
      </>
    }
  >
    <Button kind="quiet" aria-label={`Revoke ${visibleName(apiKey.name)}`} onClick={onRevoke}>
      Revoke
    </Button>
  </Row>
);

function Expiry({ of }: { of: ApiKey }) {
  const expiry = expiryOf(of);
  if (of.expiresAt === null) return null;
  if (expiry === 'over') return <span class="badge bad">Expired</span>;
  if (expiry === 'later') return null;
  return (
    <span class="badge warn">
      Expires <Until at={of.expiresAt} />
    </span>
  );
}
