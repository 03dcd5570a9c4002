/* The body of an event in the views that fit its bytes: JSON, form, parts, XML, image, text or hex. Nothing in it is executed. */

import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { formField } from '../../../shared/filter/field-names.ts';
import { type MultipartPart, parseMultipart } from '../../../shared/multipart.ts';
import { api } from '../../kit/api.ts';
import { Button, Empty, IconButton, Notice, Segmented } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { formatBytes } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { loadPreference, savePreference } from '../../kit/preferences.ts';
import { saveFile } from '../../kit/save-file.ts';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { FinderContext, OpenFindContext } from '../find-in-body/find-context.tsx';
import { useInspectorState } from '../state/inspector-state.ts';
import { bytesOf, pictureUrl } from './bytes.ts';
import { HexView } from './hex-view.tsx';
import { type Compression, detectCompression, inflate, unsupportedEncoding } from './inflate.ts';
import { prettyJson } from './json.ts';
import { JsonTree } from './json-tree.tsx';
import { PairTable } from './pair-table.tsx';
import { TextView } from './text-view.tsx';
import { type BodyView, headerOf, type ParsedBody, parseBody, parseForm } from './views.ts';
import { indentMarkup } from './xml.ts';

const viewNames: Record<BodyView, string> = {
  json: 'JSON',
  form: 'Form',
  parts: 'Parts',
  ndjson: 'NDJSON',
  xml: 'XML',
  html: 'HTML',
  image: 'Image',
  text: 'Raw',
  hex: 'Hex',
};

export function BodyPanel({ event }: { event: EventDetail }) {
  const sent = useMemo(
    () => bytesOf(event.payloadRaw, event.payloadEncoding),
    [event.payloadRaw, event.payloadEncoding],
  );
  const compression = detectCompression(sent, headerOf(event.rawHeaders, 'content-encoding'));
  const { decompressed, isDamaged } = useDecompressed(sent, compression);
  const [asSent, setAsSent] = useState(false);
  const bytes = decompressed && !asSent ? decompressed : sent;
  const contentType = headerOf(event.rawHeaders, 'content-type');
  const body = useMemo(() => parseBody(bytes, contentType), [bytes, contentType]);
  const unsupported =
    body.text === undefined ? unsupportedEncoding(headerOf(event.rawHeaders, 'content-encoding')) : undefined;
  const { view: chosenView, set } = useInspectorState();
  const view = chosenView && body.views.includes(chosenView) ? chosenView : body.views[0];
  const wrap = useWrap();
  const wrapKind = view && wrapKinds[view];
  useHotkeys({ w: { label: 'Wrap long lines', run: () => wrapKind && wrap.toggle(wrapKind), isOff: !wrapKind } });
  if (view === undefined) {
    return <Empty title="No body">This {visibleLine(event.method ?? '')} request has no body.</Empty>;
  }
  return (
    <div class="body-panel pane">
      <div class="panel-bar row tight rigid">
        <Segmented
          label="View of the body"
          options={body.views.map(id => ({ id, label: viewNames[id] }))}
          value={view}
          onPick={picked => set({ view: picked })}
        />
        <span class="grow" />
        <FindButton />
        {wrapKind && (
          <IconButton
            icon="wrap"
            label="Wrap long lines"
            title="Wrap long lines (w)"
            aria-pressed={wrap.isWrapped(wrapKind)}
            onClick={() => wrap.toggle(wrapKind)}
          />
        )}
        {body.text !== undefined && <CopyButton kind="quiet" label="Copy" text={() => textToCopy(view, body)} />}
        <a
          class="button quiet"
          href={api.rawUrl(event.id)}
          download=""
          aria-label={`Download the body, ${formatBytes(event.size)}`}
        >
          <Icon name="download" />
          <span>Download</span>
        </a>
      </div>
      {compression && decompressed && (
        <Notice action={<Button onClick={() => setAsSent(!asSent)}>{asSent ? 'Decompress' : 'Show as sent'}</Button>}>
          {asSent
            ? `Showing the ${compression} bytes as sent.`
            : `Decompressed from ${compression} (${formatBytes(sent.length)} → ${formatBytes(decompressed.length)}). Stored as sent.`}
        </Notice>
      )}
      {(unsupported || isDamaged) && (
        <Notice>
          {unsupported
            ? `Sent as ${unsupported}, which browsers can't decompress. Download the body to read it.`
            : `Can't decompress this ${compression} body here: it is damaged, truncated or too large.`}
        </Notice>
      )}
      {body.jsonProblem && !compression && (
        <Notice tone="warn">
          The content type is JSON, but the body isn't valid JSON: {body.jsonProblem.problem} at line{' '}
          {body.jsonProblem.line}, column {body.jsonProblem.column}.
        </Notice>
      )}
      <View view={view} body={body} bytes={bytes} isWrapped={wrapKind !== undefined && wrap.isWrapped(wrapKind)} />
    </div>
  );
}

const wrapKinds: Partial<Record<BodyView, WrapKind>> = {
  json: 'tree',
  ndjson: 'tree',
  xml: 'text',
  html: 'text',
  text: 'text',
};

function FindButton() {
  const open = useContext(OpenFindContext);
  return useContext(FinderContext) ? (
    <IconButton icon="search" label="Find in the body" title="Find in the body (f)" onClick={open} />
  ) : null;
}

/** Decompresses the body. `isDamaged` means that it could not be decompressed. */
function useDecompressed(sent: Uint8Array, compression: Compression | undefined) {
  const [decompressed, setOpened] = useState<{ sent: Uint8Array; bytes: Uint8Array | undefined }>();
  useEffect(() => {
    if (compression) void inflate(sent, compression).then(bytes => setOpened({ sent, bytes }));
  }, [sent, compression]);
  const isDone = decompressed?.sent === sent;
  return {
    decompressed: isDone ? decompressed.bytes : undefined,
    isDamaged: isDone && decompressed.bytes === undefined,
  };
}

/** The JSON view copies indented JSON; the other views copy the text as sent. */
const textToCopy = (view: BodyView, body: ParsedBody): string =>
  view === 'json' && body.json ? prettyJson(body.json) : (body.text ?? '');

type ViewProps = { view: BodyView; body: ParsedBody; bytes: Uint8Array; isWrapped: boolean };

function View({ view, body, bytes, isWrapped }: ViewProps) {
  const text = body.text ?? '';
  switch (view) {
    case 'json':
      return body.json ? <JsonTree document={body.json} label="JSON body" isWrapped={isWrapped} /> : null;
    case 'ndjson':
      return body.lines ? <JsonTree document={body.lines} label="NDJSON body" isWrapped={isWrapped} /> : null;
    case 'form':
      return <FormView text={text} />;
    case 'parts':
      return <Parts bytes={bytes} boundary={body.boundary ?? ''} />;
    case 'xml':
    case 'html':
      return <MarkupView text={text} kind={view} isWrapped={isWrapped} />;
    case 'image':
      return <Picture bytes={bytes} />;
    case 'text':
      return <TextView text={text} label="Raw body" isWrapped={isWrapped} />;
    case 'hex':
      return <HexView bytes={bytes} />;
  }
}

function FormView({ text }: { text: string }) {
  const rows = useMemo(
    () => parseForm(text).map(({ name, value }) => ({ name, value, field: formField(name), isText: true })),
    [text],
  );
  return (
    <div class="scroll-pane col loose">
      <PairTable label="Form fields" rows={rows} />
    </div>
  );
}

const maxIndentedCharacters = 2 << 20;

function MarkupView({ text, kind, isWrapped }: { text: string; kind: 'xml' | 'html'; isWrapped: boolean }) {
  const shown = useMemo(
    () => (text.length > maxIndentedCharacters ? text : indentMarkup(text, { html: kind === 'html' })),
    [text, kind],
  );
  return <TextView text={shown} label={`${viewNames[kind]} body`} markup={kind} isWrapped={isWrapped} />;
}

function Picture({ bytes }: { bytes: Uint8Array }) {
  const url = useMemo(() => pictureUrl(bytes), [bytes]);
  if (!url) return <Empty title="The image is too large to show">Download it to view it.</Empty>;
  return (
    <div class="picture">
      <img src={url} alt="Request body" />
    </div>
  );
}

function Parts({ bytes, boundary }: { bytes: Uint8Array; boundary: string }) {
  const parts = useMemo(() => parseMultipart(bytes, boundary), [bytes, boundary]);
  return parts.length === 0 ? (
    <Empty title="No parts found">The boundary in the content type doesn't occur in the body. See Raw or Hex.</Empty>
  ) : (
    <div class="scroll-pane col loose parts">
      {parts.map((part, index) => (
        <PartCard key={index} part={part} number={index + 1} />
      ))}
    </div>
  );
}

const maxPartBytes = 4096;

function PartBytes({ bytes, order }: { bytes: Uint8Array; order: number }) {
  const shown = useMemo(() => bytes.subarray(0, maxPartBytes), [bytes]);
  return <HexView bytes={shown} order={order} />;
}

function PartCard({ part, number }: { part: MultipartPart; number: number }) {
  const body = useMemo(() => parseBody(part.bytes, part.contentType ?? ''), [part]);
  const text = useMemo(() => (body.json ? prettyJson(body.json) : body.text), [body]);
  const save = (): void =>
    saveFile((part.filename ?? `part-${number}`).replace(/[^\w.-]+/g, '_'), new Uint8Array(part.bytes));
  const title = part.name ?? `Part ${number}`;
  return (
    <section class="part card" aria-label={`Part ${number}`}>
      <header class="row">
        <strong>{visibleLine(title)}</strong>
        {part.filename !== undefined && <span class="file">{visibleLine(part.filename)}</span>}
        <span class="faint">
          {visibleLine(part.contentType ?? 'text')} · {formatBytes(part.bytes.length)}
        </span>
        <Button kind="quiet" icon="download" onClick={save}>
          Save
        </Button>
      </header>
      {body.views.includes('image') ? (
        <Picture bytes={part.bytes} />
      ) : text !== undefined ? (
        <TextView text={text} label={`Part ${number}`} order={number} />
      ) : (
        <PartBytes bytes={part.bytes} order={number} />
      )}
    </section>
  );
}

export type WrapKind = 'tree' | 'text';

const isWrappedAtFirst: Record<WrapKind, boolean> = { tree: false, text: true };

export function useWrap() {
  const [changed, setChanged] = useState<Partial<Record<WrapKind, boolean>>>({});
  const isWrapped = (kind: WrapKind): boolean => changed[kind] ?? loadWrap(kind);
  return {
    isWrapped,
    toggle(kind: WrapKind): void {
      const next = !isWrapped(kind);
      savePreference(`wrap-${kind}`, next ? 'on' : 'off');
      setChanged({ ...changed, [kind]: next });
    },
  };
}

const loadWrap = (kind: WrapKind): boolean => {
  const stored = loadPreference(`wrap-${kind}`);
  return stored === undefined ? isWrappedAtFirst[kind] : stored === 'on';
};
