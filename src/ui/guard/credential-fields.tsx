/* The credentials that a guard asks for. Stored ones can be replaced, but not read. */

import { useState } from 'preact/hooks';
import { Button, Checkbox, Field, Notice } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { SelectField } from '../kit/select-field.tsx';
import { type GuardDraft, newToken } from './draft.ts';
import type { GuardFieldsProps } from './origin-fields.tsx';

type SecretFieldProps = {
  label: string;
  /** Null: one is stored and stays. */
  value: string | null;
  problem: string;
  hint: string;
  onText: (text: string) => void;
  isShown?: boolean;
};

const SecretField = ({ label, value, problem, hint, onText, isShown = false }: SecretFieldProps) => (
  <Field
    label={label}
    {...(isShown ? { type: 'text' } : { type: 'password' })}
    autocomplete="off"
    spellcheck={false}
    value={value ?? ''}
    placeholder={value === null ? '[set]' : ''}
    onText={onText}
    problem={problem}
    hint={value === null ? 'Saved, and not shown again. Type to replace it.' : hint}
  />
);

export const BasicFields = ({ draft, problems, change }: GuardFieldsProps) => (
  <div class="guard-part">
    <Checkbox
      label="HTTP Basic"
      hint="Senders send a user name and a password, often as https://user:password@… in the URL."
      checked={draft.hasBasic}
      onChange={hasBasic => change({ hasBasic })}
    />
    {draft.hasBasic && (
      <div class="two">
        <Field
          label="User name"
          autocomplete="off"
          spellcheck={false}
          value={draft.user}
          onText={user => change({ user })}
          problem={problems.user ?? ''}
        />
        <SecretField
          label="Password"
          value={draft.password}
          problem={problems.password ?? ''}
          hint="Stored encrypted and not shown again."
          onText={password => change({ password })}
        />
      </div>
    )}
  </div>
);

const places: readonly { id: GuardDraft['tokenIn']; label: string }[] = [
  { id: '', label: 'none' },
  { id: 'header', label: 'in a header' },
  { id: 'query', label: 'in the URL’s query' },
];

export function TokenFields({ draft, problems, change, url }: GuardFieldsProps & { url: string }) {
  const [generated, setGenerated] = useState('');
  const { tokenIn, tokenName, token } = draft;
  const isGenerated = token !== null && token !== '' && token === generated;
  const generate = (): void => {
    const made = newToken();
    setGenerated(made);
    change({ token: made });
  };
  const pickPlace = (place: GuardDraft['tokenIn']): void => {
    const isUsual = ['', 'token', 'X-Hook-Token'].includes(tokenName);
    const usual = place === 'header' ? 'X-Hook-Token' : place === 'query' ? 'token' : '';
    change({ tokenIn: place, ...(isUsual && { tokenName: usual }) });
  };
  return (
    <div class="guard-part">
      <SelectField label="Token" options={places} value={tokenIn} onPick={pickPlace} />
      {tokenIn !== '' && (
        <>
          <div class="two">
            <Field
              label={tokenIn === 'header' ? 'Name of the header' : 'Name of the parameter'}
              autocomplete="off"
              spellcheck={false}
              value={tokenName}
              onText={name => change({ tokenName: name })}
              problem={problems.tokenName ?? ''}
            />
            <SecretField
              label="Value"
              value={token}
              problem={problems.token ?? ''}
              hint={
                isGenerated
                  ? 'Copy it now: it is not shown again once it is saved.'
                  : 'Stored encrypted and not shown again.'
              }
              onText={text => change({ token: text })}
              isShown={isGenerated}
            />
          </div>
          <div class="button-row">
            <Button kind="quiet" onClick={generate}>
              Generate a token
            </Button>
            {isGenerated && <CopyButton kind="quiet" label="Copy the token" text={token} />}
            {isGenerated && tokenIn === 'query' && (
              <CopyButton
                kind="quiet"
                label="Copy the URL with it"
                text={`${url}?${encodeURIComponent(tokenName.trim())}=${encodeURIComponent(token)}`}
              />
            )}
          </div>
          {tokenIn === 'query' && (
            <Notice tone="warn" title="A token in a URL is easily seen">
              Proxies, logs and the platform's own pages keep URLs. Use a header if the platform can send one. Otherwise
              add ?{visibleLine(tokenName.trim() || 'token')}=… to the URL that you register. In stored events it is
              redacted.
            </Notice>
          )}
        </>
      )}
    </div>
  );
}
