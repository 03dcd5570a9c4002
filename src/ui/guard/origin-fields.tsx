/* The conditions of a guard that need no secret: networks and methods. */

import { useId } from 'preact/hooks';
import { Notice } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { type GuardDraft, type GuardProblems, usualMethods } from './draft.ts';

export type GuardFieldsProps = {
  draft: GuardDraft;
  problems: GuardProblems;
  change: (change: Partial<GuardDraft>) => void;
};

type OriginProps = GuardFieldsProps & { warning: string };

export function NetworkFields({ draft, problems, change, warning }: OriginProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Networks</label>
      <textarea
        id={id}
        rows={2}
        spellcheck={false}
        autocomplete="off"
        placeholder="all"
        value={draft.networks}
        aria-describedby={`${id}-hint`}
        aria-invalid={problems.networks ? true : undefined}
        onInput={event => change({ networks: event.currentTarget.value })}
      />
      <p id={`${id}-hint`} class={problems.networks ? 'hint bad' : 'hint'}>
        {problems.networks ??
          'Addresses or networks, one per line, such as 192.0.2.10 or 2001:db8::/32. Behind a trusted proxy, the sender’s address is the one that the proxy reports.'}
      </p>
      {draft.networks.trim() !== '' && (
        <p class="hint">
          Platforms deliver from their own networks, which change: take them from the platform's documentation, and look
          there again.
        </p>
      )}
      {warning && <Notice tone="warn">{warning}</Notice>}
    </div>
  );
}

export function MethodFields({ draft, problems, change, warning }: OriginProps) {
  const { methods } = draft;
  const offered = [...new Set([...usualMethods, ...methods])];
  return (
    <fieldset class="method-fields">
      <legend>Methods</legend>
      <div class="button-row">
        {offered.map(method => (
          <label key={method} class="checkbox">
            <input
              type="checkbox"
              checked={methods.includes(method)}
              onChange={event =>
                change({
                  methods: event.currentTarget.checked
                    ? offered.filter(one => one === method || methods.includes(one))
                    : methods.filter(one => one !== method),
                })
              }
            />
            {visibleLine(method)}
          </label>
        ))}
      </div>
      <p class={problems.methods ? 'hint bad' : 'hint'}>
        {problems.methods ?? 'If you choose none, all methods are accepted.'}
      </p>
      {warning && <Notice tone="warn">{warning}</Notice>}
    </fieldset>
  );
}
