/* What a check of a signature found: scheme, age, received and expected signature, and what was signed. */

import { useMemo, useState } from 'preact/hooks';
import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { Button, Segmented } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatBytes, formatExactTime } from '../../kit/format/time.ts';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { bytesOf, hexRow, hexRowCount } from '../body/bytes.ts';
import { type PairRow, PairTable } from '../body/pair-table.tsx';
import { describePart, describeSkew, describeSource } from './wording.ts';

export function ExplanationView({ found }: { found: SignatureExplanation }) {
  const skew = describeSkew(found);
  return (
    <>
      {skew && <p class={`skew ${found.reason === 'timestamp_out_of_tolerance' ? 'bad' : ''}`}>{skew}</p>}
      <PairTable label="Scheme" rows={schemeRows(found)} />
      <Signatures found={found} />
      {found.signedString !== null && <SignedString found={found} />}
    </>
  );
}

const schemeRows = ({ platform, scheme, timestamp, timestampFrom }: SignatureExplanation): PairRow[] => [
  ...(platform === null ? [] : [{ name: 'Platform', value: platform, shown: platformTitle(platform) }]),
  ...(scheme === null ? [] : [{ name: 'Scheme', value: scheme }]),
  ...(timestamp === null
    ? []
    : [{ name: 'Signed at', value: new Date(timestamp).toISOString(), shown: formatExactTime(timestamp) }]),
  ...(timestampFrom === null ? [] : [{ name: 'Timestamp from', value: describeSource(timestampFrom) }]),
];

/** Received and expected beside each other, hidden until asked for: others may be looking at the screen. */
function Signatures({ found }: { found: SignatureExplanation }) {
  const [isShown, setIsShown] = useState(false);
  const { received, expected, signedString } = found;
  if (received.length === 0) return null;
  const isSame = expected?.some(one => received.includes(one)) ?? false;
  return (
    <section aria-labelledby="signatures">
      <div class="panel-bar row tight rigid">
        <h3 id="signatures" class="panel-title grow">
          {signedString === null ? 'Received value' : 'Signatures'}
        </h3>
        <Button kind="quiet" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
      </div>
      <div class="signature-sides">
        <Side label="Received" values={received} isShown={isShown} />
        {expected ? (
          <Side
            label={isSame ? 'Expected with this secret: the same' : 'Expected with this secret: different'}
            values={expected}
            isShown={isShown}
            tone={isSame ? 'good' : 'bad'}
          />
        ) : (
          <p class="faint">{whyNotExpected(found)}</p>
        )}
      </div>
    </section>
  );
}

const whyNotExpected = ({ checkedWith, signedString }: SignatureExplanation): string => {
  if (checkedWith !== 'request')
    return 'Enter the secret above to see the expected signature. It is never computed from a saved secret.';
  return signedString === null
    ? 'This scheme sends the secret itself. It is compared with the one you enter.'
    : "This scheme verifies with a public key, so there's no expected value to compute.";
};

type SideProps = { label: string; values: string[]; isShown: boolean; tone?: 'good' | 'bad' };

const Side = ({ label, values, isShown, tone }: SideProps) => (
  <div class="signature-side col tight">
    <h4 class={tone ?? 'soft'}>{label}</h4>
    {values.map(value => (
      <div key={value} class="raw-line line tight top">
        <code class="grow breaks">{isShown ? visibleLine(value) : '•'.repeat(Math.min(24, value.length))}</code>
        {isShown && <CopyButton text={value} what="signature" />}
      </div>
    ))}
  </div>
);

type Found = Pick<SignatureExplanation, 'signedString' | 'signedStringEncoding' | 'signedBytes' | 'parts'>;
type Part = Found['parts'][number];

const maxShownBytes = 16 << 10;
const maxHexRows = 256;

function SignedString({ found }: { found: Found }) {
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
