/* Shows an event as a command or code to copy. The command is safe to paste, whatever the event contains. */

import { useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../features/events/model.ts';
import { curlCommand } from '../copy/curl.ts';
import { fetchCode } from '../copy/fetch.ts';
import { httpieCommand } from '../copy/httpie.ts';
import { type CopyRequest, sendableHeaders } from '../copy/request.ts';
import { visibleText } from '../format/visible.ts';
import { Dialog, Field, Segmented } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import { loadPreference, savePreference } from './preferences.ts';

const formats = [
  { id: 'curl', label: 'curl', build: curlCommand },
  { id: 'httpie', label: 'HTTPie', build: httpieCommand },
  { id: 'fetch', label: 'fetch', build: fetchCode },
] as const;
const maxShownChars = 20_000;

type CopyDialogProps = { event: EventDetail; request: CopyRequest; onClose: () => void };

export function CopyDialog({ event, request, onClose }: CopyDialogProps) {
  const [formatId, setFormatId] = useState(loadPreference('copy-as') ?? 'curl');
  const [url, setUrl] = useState(request.url);
  const format = formats.find(one => one.id === formatId) ?? formats[0];
  const text = useMemo(() => format.build({ ...request, url }), [format, request.method, request.body, url]);
  const { redacted } = sendableHeaders(event.rawHeaders);
  return (
    <Dialog title="Copy as" wide onClose={onClose}>
      <Field label="Send to" type="url" value={url} onText={setUrl} spellcheck={false} />
      <div class="panel-bar">
        <Segmented
          label="Format"
          options={formats.map(({ id, label }) => ({ id, label }))}
          value={format.id}
          onPick={id => {
            setFormatId(id);
            savePreference('copy-as', id);
          }}
        />
        <span class="grow" />
        <CopyButton kind="primary" label="Copy" text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <pre class="code" tabIndex={0}>
        {visibleText(text.slice(0, maxShownChars))}
        {text.length > maxShownChars && '\n… truncated here; copying includes everything'}
      </pre>
      {redacted.length > 0 && (
        <p class="faint">Not included, because credentials are not stored: {redacted.join(', ')}.</p>
      )}
    </Dialog>
  );
}
