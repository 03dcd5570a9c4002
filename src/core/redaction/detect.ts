/* Looks for what the rules detect in one value, inside encodings too, and says what to write in its place. */
import type { Detection, Treatment } from '../../shared/redaction.ts';
import { afterEscape, decoded, deeperLayer, type Layer, maxLayers, written } from './layers.ts';
import { replacementOf, textOf } from './replacement.ts';
import { scans } from './scan.ts';

/** A range of the written text. `text`: its meaning, one character a byte. */
type Hit = { start: number; end: number; rule: number; text: string };

/** `form`: of a query or a form, in which a plus sign may be a space; `percent`: of a path. */
type ValueEncoding = 'plain' | 'json' | 'form' | 'percent';

/** What the readers of all parts of an event need. `isRedacted`: whether what an earlier redaction wrote stays. */
export type Redacting = {
  treatments: readonly Treatment[];
  key: Uint8Array;
  detector: Detector | undefined;
  isRedacted: boolean;
};

export type Detector = NonNullable<ReturnType<typeof createDetector>>;

type DetectionRule = { detect: Detection; with: Treatment; rule: number };

const minCharacters = 3;

export function createDetector(rules: readonly DetectionRule[], key: Uint8Array) {
  if (rules.length === 0) return undefined;
  const treatments = new Map(rules.map(({ rule, with: treatment }) => [rule, treatment]));
  return {
    /** Whether there may be a hit: most values need no further look. */
    mayHit: (bytes: Uint8Array, start: number, end: number): boolean =>
      end - start >= minCharacters && mayHaveHit(bytes, start, end),
    /** Hits in their order; overlapping hits are joined. @param text one character a byte */
    find: (text: string, encoding: ValueEncoding): Hit[] => {
      if (text.length < minCharacters) return [];
      const hits: Hit[] = [];
      for (const first of readings(text, encoding)) {
        let layer: Layer | undefined = first;
        for (let count = 0; layer && count < maxLayers; count++) {
          for (const { detect, rule } of rules) scanLayer(layer, detect, rule, hits);
          layer = deeperLayer(layer);
        }
      }
      return hits.length > 1 ? merged(hits) : hits;
    },
    change: ({ rule, text }: Hit): { before: () => string; after: string } => {
      const bytes = Buffer.from(text, 'latin1');
      return { before: () => textOf(bytes), after: replacementOf(treatments.get(rule) ?? 'remove', bytes, key) };
    },
  };
}

const minCardDigits = 12;

/** Whether it has an at sign, enough digits, dots or colons, or an encoding that may hide them. */
function mayHaveHit(bytes: Uint8Array, start: number, end: number): boolean {
  let digits = 0;
  let points = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) digits++;
    else if (byte === 0x2e || byte === 0x3a) points++;
    else if (byte === 0x40 || byte === 0x5c || byte === 0x25) return true;
  }
  return digits >= minCardDigits || points >= 2;
}

function readings(text: string, encoding: ValueEncoding): Layer[] {
  const layer = written(text);
  if (encoding === 'plain') return [layer];
  if (encoding === 'json')
    return [text.includes('\\') ? decoded(layer, { hasEscapes: true, hasPercent: false, isPlusSpace: false }) : layer];
  const hasPercent = text.includes('%');
  const isPlusSpace = encoding === 'form' && text.includes('+');
  const plain = hasPercent ? decoded(layer, { hasEscapes: false, hasPercent, isPlusSpace: false }) : layer;
  return isPlusSpace ? [plain, decoded(layer, { hasEscapes: false, hasPercent, isPlusSpace })] : [plain];
}

function scanLayer({ text, starts }: Layer, detect: Detection, rule: number, hits: Hit[]): void {
  scans[detect](text, (from, end) => {
    const start = afterEscape(text, from);
    if (start >= end) return;
    hits.push({
      start: starts ? (starts[start] ?? 0) : start,
      end: starts ? (starts[end] ?? 0) : end,
      rule,
      text: text.slice(start, end),
    });
  });
}

/** Of hits that overlap, the longest gives the text and the rule. */
function merged(hits: Hit[]): Hit[] {
  hits.sort((a, b) => a.start - b.start || b.end - a.end || a.rule - b.rule);
  const kept: Hit[] = [];
  for (const hit of hits) {
    const last = kept.at(-1);
    if (!last || hit.start >= last.end) kept.push(hit);
    else {
      const longer = hit.end - hit.start > last.end - last.start ? hit : last;
      kept[kept.length - 1] = { ...longer, start: last.start, end: Math.max(last.end, hit.end) };
    }
  }
  return kept;
}
