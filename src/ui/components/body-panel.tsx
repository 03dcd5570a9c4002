/* The body of an event in every form that makes sense for its bytes. Everything is text, hex or a raster picture from the bytes. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type MultipartPart, parseMultipart } from '../../shared/multipart.ts';
import { api } from '../api.ts';
import { bytesOf, pictureUrl } from '../body/bytes.ts';
import { parseForm } from '../body/form.ts';
import { type Compression, detectCompression, inflate, unsupportedEncoding } from '../body/inflate.ts';
import { prettyJson } from '../body/json.ts';
import { type BodyView, type ParsedBody, parseBody } from '../body/views.ts';
import { indentXml } from '../body/xml.ts';
import { formatBytes } from '../format/time.ts';
import { visibleLine } from '../format/visible.ts';
import type { EventDetail } from '../wire.ts';
import { Button, Empty, Notice, Segmented } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import { HexView } from './hex-view.tsx';
import { Icon } from './icons.tsx';
import { JsonTree } from './json-tree.tsx';
import { NestedValue, PairTable } from './pair-table.tsx';
import { TextView } from './text-view.tsx';

const viewNames: Record<BodyView, string> = {
  json: 'JSON',
  form: 'Form',
  parts: 'Parts',
  xml: 'XML',
  image: 'Image',
  text: 'Raw',
  hex: 'Hex',
};

const headerOf = (event: EventDetail, wanted: string): string =>
  event.rawHeaders.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

export function BodyPanel({ event }: { event: EventDetail }) {
  const sent = useMemo(() => bytesOf(event.payloadRaw, event.payloadEncoding), [event]);
  const compression = detectCompression(sent, headerOf(event, 'content-encoding'));
  const { opened, isDamaged } = useOpened(sent, compression);
  const [asSent, setAsSent] = useState(false);
  const bytes = opened && !asSent ? opened : sent;
  const contentType = headerOf(event, 'content-type');
  const reading = useMemo(() => parseBody(bytes, contentType), [bytes, contentType]);
  const closed = reading.text === undefined ? unsupportedEncoding(headerOf(event, 'content-encoding')) : undefined;
  const [wish, setWish] = useState<BodyView>();
  const view = wish && reading.views.includes(wish) ? wish : reading.views[0];
  if (view === undefined) {
    return <Empty title="No body">This {visibleLine(event.method ?? '')} request was sent without one.</Empty>;
  }
  return (
    <div class="body-panel">
      <div class="panel-bar">
        <Segmented
          label="View of the body"
          options={reading.views.map(id => ({ id, label: viewNames[id] }))}
          value={view}
          onPick={setWish}
        />
        <span class="grow" />
        {reading.text !== undefined && <CopyButton kind="quiet" label="Copy" text={() => copyForm(view, reading)} />}
        <a
          class="button quiet"
          href={api.rawUrl(event.id)}
          download=""
          aria-label={`Download the body, ${formatBytes(event.size)}`}
        >
          <Icon name="download" />
          <span>{formatBytes(event.size)}</span>
        </a>
      </div>
      {compression && opened && (
        <Notice action={<Button onClick={() => setAsSent(!asSent)}>{asSent ? 'Open it' : 'Show as sent'}</Button>}>
          {asSent
            ? `These are the ${compression} bytes as they were sent.`
            : `Sent as ${compression}, ${formatBytes(sent.length)}; opened here for reading, ${formatBytes(opened.length)}. What is stored is what was sent.`}
        </Notice>
      )}
      {(closed || isDamaged) && (
        <Notice>
          {closed
            ? `Sent as ${closed}, which browsers do not open for reading. Download it to open it yourself.`
            : `Sent as ${compression}, but it is damaged, cut short or too large to open here.`}
        </Notice>
      )}
      {reading.jsonProblem && !compression && (
        <Notice tone="warn">
          The sender called this JSON, but it is not: {reading.jsonProblem.problem} at line {reading.jsonProblem.line},
          column {reading.jsonProblem.column}.
        </Notice>
      )}
      <View view={view} reading={reading} bytes={bytes} />
    </div>
  );
}

/** The inside of a compressed body, once it is there, or that there is none to be had. */
function useOpened(sent: Uint8Array, compression: Compression | undefined) {
  const [opened, setOpened] = useState<{ sent: Uint8Array; bytes: Uint8Array | undefined }>();
  useEffect(() => {
    if (compression) void inflate(sent, compression).then(bytes => setOpened({ sent, bytes }));
  }, [sent, compression]);
  const isDone = opened?.sent === sent;
  return { opened: isDone ? opened.bytes : undefined, isDamaged: isDone && opened.bytes === undefined };
}

/** In the JSON view the copy is indented, in all others it is the text as sent. */
const copyForm = (view: BodyView, reading: ParsedBody): string =>
  view === 'json' && reading.json ? prettyJson(reading.json) : (reading.text ?? '');

function View({ view, reading, bytes }: { view: BodyView; reading: ParsedBody; bytes: Uint8Array }) {
  const text = reading.text ?? '';
  switch (view) {
    case 'json':
      return reading.json ? <JsonTree document={reading.json} label="JSON body" /> : null;
    case 'form':
      return (
        <div class="scroll-pane">
          <PairTable
            label="Form fields"
            rows={parseForm(text).map(({ name, value }) => ({ name, value, shown: <NestedValue text={value} /> }))}
          />
        </div>
      );
    case 'parts':
      return <Parts parts={parseMultipart(bytes, reading.boundary ?? '')} />;
    case 'xml':
      return <TextView text={text.length > 2 << 20 ? text : indentXml(text)} label="XML body" />;
    case 'image':
      return <Picture bytes={bytes} />;
    case 'text':
      return <TextView text={text} label="Raw body" />;
    case 'hex':
      return <HexView bytes={bytes} />;
  }
}

function Picture({ bytes }: { bytes: Uint8Array }) {
  const url = useMemo(() => pictureUrl(bytes), [bytes]);
  if (!url) return <Empty title="Too large to show here">Download it to look at it.</Empty>;
  return (
    <div class="picture">
      <img src={url} alt="What was sent" />
    </div>
  );
}

const Parts = ({ parts }: { parts: MultipartPart[] }) =>
  parts.length === 0 ? (
    <Empty title="No parts found">The boundary of the content type does not occur in the body. See Raw or Hex.</Empty>
  ) : (
    <div class="scroll-pane parts">
      {parts.map((part, index) => (
        <PartCard key={index} part={part} place={index + 1} />
      ))}
    </div>
  );

function PartCard({ part, place }: { part: MultipartPart; place: number }) {
  const reading = useMemo(() => parseBody(part.bytes, part.contentType ?? ''), [part]);
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([new Uint8Array(part.bytes)], { type: 'application/octet-stream' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = (part.filename ?? `part-${place}`).replace(/[^\w.-]+/g, '_');
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  const title = part.name ?? `Part ${place}`;
  return (
    <section class="part" aria-label={`Part ${place}`}>
      <header>
        <strong>{visibleLine(title)}</strong>
        {part.filename !== undefined && <span class="file">{visibleLine(part.filename)}</span>}
        <span class="faint">
          {visibleLine(part.contentType ?? 'text')} · {formatBytes(part.bytes.length)}
        </span>
        <Button kind="quiet" icon="download" onClick={save}>
          Save
        </Button>
      </header>
      {reading.views.includes('image') ? (
        <Picture bytes={part.bytes} />
      ) : reading.json ? (
        <TextView text={prettyJson(reading.json)} label={`Part ${place}`} />
      ) : reading.text !== undefined ? (
        <TextView text={reading.text} label={`Part ${place}`} />
      ) : (
        <HexView bytes={part.bytes.subarray(0, 4096)} />
      )}
    </section>
  );
}
