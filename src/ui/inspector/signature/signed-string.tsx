/* The exact bytes that a signature covers, as text or hex, with a mark for each part of the request that they come from. */

import { useMemo, useState } from 'preact/hooks';
import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { Segmented } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { formatBytes } from '../../kit/format/time.ts';
import { visibleText } from '../../kit/format/visible.ts';
import { bytesOf, hexRow, hexRowCount } from '../body/bytes.ts';
import { describePart } from './wording.ts';

type Found = Pick<SignatureExplanation, 'signedString' | 'signedStringEncoding' | 'signedBytes' | 'parts'>;
type Part = Found['parts'][number];

const maxShownBytes = 16 << 10;
const maxHexRows = 256;

export function SignedString({ found }: { found: Found }) {
  const { signedString, signedStringEncoding, signedBytes, parts } = found;
  const bytes = useMemo(() => bytesOf(signedString ?? '', signedStringEncoding), [signedString]);
  const [view, setView] = useState<'text' | 'hex'>(signedStringEncoding === 'utf8' ? 'text' : 'hex');
  return (
    <section aria-labelledby="signed-string">
      <div class="panel-bar row tight rigid">
        <h3 id="signed-string" class="panel-title grow">
          Signed string <span class="faint">{formatBytes(signedBytes)}</span>
        </h3>
        <Segmented
          label="Show the signed string as"
          options={[
            { id: 'text', label: 'Text' },
            { id: 'hex', label: 'Hex' },
          ]}
          value={view}
          onPick={setView}
        />
        {signedBytes === bytes.length && signedStringEncoding === 'utf8' && (
          <CopyButton text={signedString ?? ''} what="signed string" />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <pre class="code signed-string" tabIndex={0}>
        {view === 'text' ? <MarkedText bytes={bytes} parts={parts} /> : <Hex bytes={bytes} />}
        {signedBytes > Math.min(bytes.length, maxShownBytes) && view === 'text' && '\n… and the rest of the body'}
      </pre>
      <Legend parts={parts} />
    </section>
  );
}

const MarkedText = ({ bytes, parts }: { bytes: Uint8Array; parts: Part[] }) => (
  <>
    {parts
      .filter(part => part.start < maxShownBytes)
      .map(part => (
        <span key={part.start} class={`signed-part ${part.from}`} title={describePart(part)}>
          {visibleText(new TextDecoder().decode(bytes.subarray(part.start, Math.min(part.end, maxShownBytes))))}
        </span>
      ))}
  </>
);

const Hex = ({ bytes }: { bytes: Uint8Array }) => {
  const count = Math.min(maxHexRows, hexRowCount(bytes));
  return (
    <>
      {Array.from({ length: count }, (_, index) => {
        const { offset, hex, ascii } = hexRow(bytes, index);
        return `${offset}  ${hex}  ${ascii}\n`;
      }).join('')}
      {hexRowCount(bytes) > count && '… and more'}
    </>
  );
};

/** Each kind of part once, in order. */
const Legend = ({ parts }: { parts: Part[] }) => {
  const shown = new Map(parts.map(part => [describePart(part), part.from]));
  return (
    <ul class="signed-legend row soft small">
      {[...shown].map(([label, from]) => (
        <li key={label}>
          <span class={`signed-part ${from}`} aria-hidden="true">
            {'\u00a0\u00a0'}
          </span>{' '}
          {visibleText(label)}
        </li>
      ))}
    </ul>
  );
};
