/* The section of an endpoint's settings for its guard. Stored passwords and tokens are never shown. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { parseCidr } from '../../shared/addresses.ts';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { Button, Notice, SelectField } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { linesOf } from '../kit/fields.tsx';
import { Form, type FormOf, Inputs, useForm } from '../kit/form.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Card } from '../kit/page.tsx';
import type { Input } from '../kit/schema.ts';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';
import { type Guard, guardOf, guardRules, newToken, places, secretHint, withPlace } from './guard-schema.tsx';
import { otherThan, useRefused } from './use-refused.ts';

const usualMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export function GuardSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints, endpoints, setEndpoints } = useWorkspace();
  const show = (guard: Guard | null): void => {
    setEndpoints((endpoints ?? []).map(one => (one.id === endpoint.id ? { ...one, guard } : one)));
    reloadEndpoints();
    showToast(
      guard ? 'Guard saved. It applies to the next request.' : 'Guard removed. The endpoint accepts all requests.',
    );
  };
  const form = useForm({
    ...guardRules,
    prefix: 'guard',
    initial: endpoint.guard ?? {},
    // It is always sent whole.
    isNew: true,
    save: (_: unknown, draft) => api.changeEndpoint(endpoint.id, { guard: guardOf(draft) }),
    onSaved: saved => show(saved?.guard ?? null),
  });
  const remove = async (): Promise<void> => {
    await api.changeEndpoint(endpoint.id, { guard: null });
    form.discard();
    show(null);
  };
  const { draft } = form;
  const networks = linesOf(draft.cidrs);
  const isReadable = networks.every(one => parseCidr(one));
  const byNetwork = useRefused(
    endpoint.id,
    isReadable ? otherThan('ip', networks) : undefined,
    'came from other networks',
  );
  const byMethod = useRefused(endpoint.id, otherThan('method', draft.methods), 'had other methods');
  return (
    <Card
      title="Guard"
      id="guard"
      lead="Access rules for senders. A request must meet every condition you set; others are refused with 403 (network), 405 (method) or 401 (credentials)."
    >
      <Form
        form={form}
        submit="Save guard"
        submitKind="plain"
        isLocked={!form.isDirty}
        after={
          endpoint.guard && (
            <ActionButton kind="danger" act={remove} keepsFocus={false}>
              Remove guard
            </ActionButton>
          )
        }
      >
        <div class="field col tight">
          <Inputs form={form} paths={['cidrs']} />
          {networks.length > 0 && (
            <p class="hint">
              Platforms publish the networks they send from, and change them. Check their documentation from time to
              time.
            </p>
          )}
          {byNetwork && <Notice tone="warn">{byNetwork}</Notice>}
        </div>
        <MethodFields input={form.input('methods')} warning={byMethod} />
        <div class="col">
          <Inputs form={form} paths={['basic']} />
          {draft.basic && (
            <div class="two">
              <Inputs form={form} paths={['basic.user', 'basic.password']} />
            </div>
          )}
        </div>
        <TokenFields form={form} url={endpoint.url} />
        <Inputs form={form} paths={['onRefuse']} />
        {draft.onRefuse === 'drop' && guardOf(draft) && (
          <p class="hint">
            Refused requests are not recorded, so you won't notice a platform that is refused by mistake.
          </p>
        )}
      </Form>
    </Card>
  );
}

type MethodProps = { input: Input<readonly string[]>; warning: string };

function MethodFields({ input: { value, problem, change }, warning }: MethodProps) {
  const offered = [...new Set([...usualMethods, ...value])];
  return (
    <fieldset class="col">
      <legend>Methods</legend>
      <div class="row loose">
        {offered.map(method => (
          <label key={method} class="checkbox">
            <input
              type="checkbox"
              checked={value.includes(method)}
              onChange={event =>
                change(
                  event.currentTarget.checked
                    ? offered.filter(one => one === method || value.includes(one))
                    : value.filter(one => one !== method),
                )
              }
            />
            {visibleLine(method)}
          </label>
        ))}
      </div>
      <p class={problem ? 'hint bad' : 'hint'}>{problem || 'If none is selected, all methods are accepted.'}</p>
      {warning && <Notice tone="warn">{warning}</Notice>}
    </fieldset>
  );
}

function TokenFields({ form, url }: { form: FormOf<typeof guardRules.schema>; url: string }) {
  const [generated, setGenerated] = useState('');
  const { draft } = form;
  const { 'token.in': place, 'token.name': name, 'token.value': token } = draft;
  const isGenerated = token !== '' && token === generated;
  const generate = (): void => {
    const made = newToken();
    setGenerated(made);
    form.change({ 'token.value': made });
  };
  const texts = {
    'token.name': { label: place === 'header' ? 'Header name' : 'Parameter name' },
    'token.value': {
      hint: isGenerated ? 'Copy it now. It is not shown again after you save.' : secretHint,
      isReadable: isGenerated,
    },
  };
  return (
    <div class="col">
      <SelectField
        label="Token"
        options={places}
        value={place}
        onPick={picked => form.change(withPlace(draft, picked))}
        problem={form.input('token.in').problem}
      />
      {place !== '' && (
        <>
          <div class="two">
            <Inputs form={form} paths={['token.name', 'token.value']} texts={texts} />
          </div>
          <div class="row">
            <Button kind="quiet" onClick={generate}>
              Generate a token
            </Button>
            {isGenerated && <CopyButton kind="quiet" label="Copy the token" text={token} />}
            {isGenerated && place === 'query' && (
              <CopyButton
                kind="quiet"
                label="Copy URL with token"
                text={`${url}?${encodeURIComponent(name.trim())}=${encodeURIComponent(token)}`}
              />
            )}
          </div>
          {place === 'query' && (
            <Notice tone="warn" title="A token in a URL is easily seen">
              Proxies, logs and the platform keep URLs. Use a header if the platform can send one. Otherwise add ?
              {visibleLine(name.trim() || 'token')}=… to the URL that you register. In stored events it is redacted.
            </Notice>
          )}
        </>
      )}
    </div>
  );
}
