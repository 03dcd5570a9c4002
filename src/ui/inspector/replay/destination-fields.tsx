/* Where a replay goes: to a URL, or to a listener that is connected. */

import { useEffect, useRef } from 'preact/hooks';
import type { Listener } from '../../../features/listeners/model.ts';
import { api } from '../../kit/api.ts';
import { Checkbox } from '../../kit/controls.tsx';
import { Inputs } from '../../kit/form.tsx';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import { usePolled } from '../../kit/use-query.ts';
import { lastListener, listDestinations } from './replay-destinations.ts';
import type { ReplayForm } from './use-replay-form.tsx';

const listenersEveryMs = 3000;

type DestinationFieldsProps = {
  endpointId: string;
  form: ReplayForm;
  hasUrl: boolean;
};

export function DestinationFields({ endpointId, form, hasUrl }: DestinationFieldsProps) {
  const listeners = usePolled(
    endpointId,
    () => api.listeners(endpointId),
    () => true,
    () => listenersEveryMs,
  ).value;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!listeners || !isFirst.current) return;
    isFirst.current = false;
    const last = lastListener(endpointId);
    if (last && !hasUrl && form.isUntouched && listeners.some(({ name }) => name === last)) choose(form, last);
  }, [listeners]);
  return (
    <>
      <Receivers listeners={listeners ?? []} form={form} />
      {form.draft.listener === '' && <UrlFields endpointId={endpointId} form={form} />}
    </>
  );
}

/** @param listener its name; empty: the URL. Stored secrets do not sign for listeners. */
const choose = (form: ReplayForm, listener: string): void =>
  form.change({ listener, ...(listener !== '' && { 'sign.secretId': '' }) });

/** Without listeners there is no choice. A chosen listener stays chosen when it disconnects. */
function Receivers({ listeners, form }: { listeners: readonly Listener[]; form: ReplayForm }) {
  const { value: listener, problem } = form.input('listener');
  const chosen = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The field of the URL had the focus, and is gone.
    if (document.activeElement === document.body) chosen.current?.focus();
  }, [listener]);
  if (listeners.length === 0 && listener === '') return null;
  const isGone = listener !== '' && !listeners.some(({ name }) => name === listener);
  return (
    <fieldset class="col tight">
      <legend>Send to</legend>
      <label class="checkbox row tight">
        <input type="radio" name="receiver" checked={listener === ''} onChange={() => choose(form, '')} />
        <span>A URL</span>
        <span class="faint">from this server</span>
      </label>
      {listeners.map(({ name, targets, connectedBy, connections }) => (
        <label key={name} class="checkbox row tight">
          <input
            ref={listener === name ? chosen : null}
            type="radio"
            name="receiver"
            checked={listener === name}
            onChange={() => choose(form, name)}
          />
          <code>{visibleLine(name)}</code>
          <span class="faint">
            {[
              ...targets.map(visibleLine),
              visibleName(connectedBy),
              ...(connections > 1 ? [`${connections} with this name`] : []),
            ].join(' · ')}
          </span>
        </label>
      ))}
      {isGone && (
        <label class="checkbox row tight">
          <input type="radio" name="receiver" checked onChange={() => {}} />
          <code>{visibleLine(listener)}</code>
          <span class="bad">disconnected</span>
        </label>
      )}
      {problem && <p class="hint bad">{problem}</p>}
    </fieldset>
  );
}

const UrlFields = ({ endpointId, form }: { endpointId: string; form: ReplayForm }) => (
  <>
    <Inputs form={form} paths={['url']} />
    <EarlierDestinations id="destinations" endpointId={endpointId} />
    <Checkbox
      label="Append original path and query"
      hint="Adds what followed the endpoint's URL in the original request."
      checked={form.appendPath}
      onChange={form.setAppendPath}
    />
  </>
);

export const EarlierDestinations = ({ id, endpointId }: { id: string; endpointId: string }) => (
  <datalist id={id}>
    {listDestinations(endpointId).map(({ url }) => (
      <option key={url} value={url} />
    ))}
  </datalist>
);
