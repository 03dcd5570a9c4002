/* What is known about a platform, in words: for `hooktape platforms`, and the table in docs/platforms.md. */
import type {
  BodyShape,
  DeliveryIdRule,
  DetectionRule,
  EventTypeSource,
  Platform,
  PreviewText,
} from './engine/platform.ts';
import { acceptedKeyFormats, keyFormatDescriptions } from './engine/secrets.ts';
import type { SignatureScheme } from './engine/signature-scheme.ts';
import { canTestSign } from './engine/test-secret.ts';
import { samplesOf } from './samples.ts';

/** One line of the list of platforms. `signs`: null if the platform does not sign. */
export const summarise = ({ name, title, docsUrl, signatures, handshakes }: Platform) => ({
  name,
  title,
  docsUrl,
  /** Labels of the signature schemes. */
  verified: [...new Set(signatures.map(scheme => scheme.label))],
  proves: [...new Set(signatures.map(scheme => scheme.proves))],
  signs: signatures.length === 0 ? null : signatures.some(scheme => scheme.sign !== undefined),
  handshake: handshakes !== undefined,
});

/** All that the catalog has about a platform; a list has alternatives, of which any is enough. */
export const describePlatform = (row: Platform) => ({
  name: row.name,
  aliases: row.aliases ?? [],
  title: row.title,
  docsUrl: row.docsUrl,
  detection: row.detect.map(describeRule),
  eventType: row.eventType.map(describeSource),
  deliveryId: row.deliveryId?.map(describeDeliveryId) ?? [],
  action: row.action ?? [],
  highlights: row.preview?.map(describePreview) ?? [],
  signature: row.signatures.map(describeScheme),
  url: describeSetup(row),
  secret: describeSecret(row),
  handshake: row.handshakes?.map(({ description }) => description) ?? [],
  testEvents: describeSamples(row),
  note: row.notes ?? null,
});

const describeSetup = ({ setup, docsUrl }: Platform): string =>
  setup === undefined ? `see ${docsUrl}` : `${setup.where} (${setup.url})`;

function describeSecret(row: Platform): string | null {
  if (row.secretHint === null) return null;
  const forms = acceptedKeyFormats(row).map(form => keyFormatDescriptions[form]);
  return `${row.secretHint}. Form: ${forms.join('; or ')}`;
}

function describeSamples(row: Platform): string {
  const names = samplesOf(row).map(({ name }) => code(name));
  if (names.length === 0) return `none: ${row.title} is recognised by a signature that only it can make`;
  if (row.signatures.length > 0 && !canTestSign(row))
    return `${names.join(', ')}, unsigned: only ${row.title} has the key`;
  return names.join(', ');
}

function describeRule(rule: DetectionRule): string {
  const words: string[] = [];
  if (rule.methods !== undefined) words.push(rule.methods.map(code).join(' or '));
  if (rule.anyHeader !== undefined) words.push(`header ${rule.anyHeader.map(code).join(' or ')}`);
  if (rule.allHeaders !== undefined) words.push(`header ${rule.allHeaders.map(code).join(' and ')}`);
  if (rule.headerValues !== undefined) words.push(`header ${describeShape(rule.headerValues)}`);
  if (rule.absentHeaders !== undefined) words.push(`no ${rule.absentHeaders.map(code).join(', ')}`);
  if (rule.query !== undefined) words.push(`query ${describeShape(rule.query)}`);
  if (rule.userAgent !== undefined) words.push(`User-Agent ${code(rule.userAgent)}`);
  if (rule.json !== undefined)
    words.push(
      `JSON with ${describeShape(rule.json)}${rule.keyCount === undefined ? '' : `, keys in all: ${rule.keyCount}`}`,
    );
  if (rule.form !== undefined)
    words.push(
      `form with ${describeShape(rule.form)}${rule.keyCount === undefined ? '' : `, fields in all: ${rule.keyCount}`}`,
    );
  if (rule.bodyText !== undefined && rule.when === undefined) words.push(`body with ${pattern(rule.bodyText)}`);
  if (rule.when !== undefined) words.push(rule.when.description);
  return words.join(', ');
}

const describeShape = (shape: BodyShape): string =>
  Object.entries(shape)
    .map(([path, test]) => {
      if (test === true) return code(path);
      if (typeof test === 'string') return `${code(path)} = ${code(test)}`;
      return `${code(path)} ${test instanceof RegExp ? `like ${pattern(test)}` : `one of ${test.map(code).join(', ')}`}`;
    })
    .join(', ');

function describeSource(source: EventTypeSource): string {
  if (typeof source !== 'string') return source.description;
  const colon = source.indexOf(':');
  const [from, name] = [source.slice(0, colon), source.slice(colon + 1)];
  if (from === 'text') return `always ${code(name)}`;
  return `${{ header: 'header', query: 'query', json: 'JSON', form: 'form field' }[from] ?? from} ${code(name)}`;
}

function describeDeliveryId(rule: DeliveryIdRule): string {
  const name = (names: string | readonly string[]) => [names].flat().map(code).join(' and ');
  const place = (): string => {
    if ('header' in rule) return `header ${name(rule.header)}`;
    const { body } = rule;
    return typeof body === 'object' && 'read' in body ? body.description : `body ${name(body)}`;
  };
  return `${place()} (${rule.source})`;
}

const maxAlternatives = 5;

function describePreview(text: PreviewText): string {
  const alternatives = [text].flat().map(code);
  const shown = alternatives.slice(0, maxAlternatives).join(' or ');
  const more = alternatives.length - maxAlternatives;
  return more > 0 ? `${shown} or ${more} ${more === 1 ? 'other' : 'others'}` : shown;
}

function describeScheme(scheme: SignatureScheme): string {
  const words = [`${code(scheme.label)} in ${scheme.header === null ? 'the body' : `header ${code(scheme.header)}`}`];
  if (scheme.alternativeHeaders !== undefined)
    words.push(`or ${scheme.alternativeHeaders.map(other => code(other.header)).join(', ')}`);
  if (scheme.message !== undefined && scheme.message !== '{body}') words.push(`over ${code(scheme.message)}`);
  if (scheme.timestamp?.toleranceSeconds !== undefined) words.push(`within ${scheme.timestamp.toleranceSeconds} s`);
  if (scheme.proves === 'origin') words.push('proves the origin only');
  if (scheme.note !== undefined) words.push(scheme.note);
  return words.join('; ');
}

const code = (text: string): string => `\`${text}\``;
const pattern = (test: RegExp): string => code(test.source.replaceAll('\\/', '/'));
