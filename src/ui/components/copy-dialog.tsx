/* An event as a command or code, shown before it is copied. The command is safe to paste whatever the sender wrote. */

import { useMemo, useState } from 'preact/hooks';
import { curlCommand } from '../copy/curl.ts';
import { fetchCode } from '../copy/fetch.ts';
import { httpieCommand } from '../copy/httpie.ts';
import { type CopyRequest, sendableHeaders } from '../copy/request.ts';
import { visibleText } from '../format/visible.ts';
import type { EventDetail } from '../wire.ts';
import { CopyButton, Dialog, Field, Segmented } from './controls.tsx';
import { loadPreference, savePreference } from './preferences.ts';

const formats = [
  { id: 'curl', label: 'curl', build: curlCommand },
  { id: 'httpie', label: 'HTTPie', build: httpieCommand },
  { id: 'fetch', label: 'fetch', build: fetchCode },
] as const;
const maxShownChars = 20_000;

type CopyDialogProps = { event: EventDetail; request: CopyRequest; endpointId: string; onClose: () => void };

export function CopyDialog({ event, request, onClose }: CopyDialogProps) {
  const [kind, setKind] = useState(loadPreference('copy-as') ?? 'curl');
  const [url, setUrl] = useState(request.url);
  const form = formats.find(one => one.id === kind) ?? formats[0];
  const text = useMemo(() => form.build({ ...request, url }), [form, request.method, request.body, url]);
  const { redacted } = sendableHeaders(event.rawHeaders);
  return (
    <Dialog title="Copy as" wide onClose={onClose}>
      <Field label="Send to" type="url" value={url} onText={setUrl} spellcheck={false} />
      <div class="panel-bar">
        <Segmented
          label="Form"
          options={formats.map(({ id, label }) => ({ id, label }))}
          value={form.id}
          onPick={id => {
            setKind(id);
            savePreference('copy-as', id);
          }}
        />
        <span class="grow" />
        <CopyButton kind="primary" label="Copy" text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <pre class="code" tabIndex={0}>
        {visibleText(text.slice(0, maxShownChars))}
        {text.length > maxShownChars && '\n… the copy has the rest'}
      </pre>
      {redacted.length > 0 && (
        <p class="faint">Left out, because credentials are never stored: {redacted.join(', ')}.</p>
      )}
    </Dialog>
  );
}
