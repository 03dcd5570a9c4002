/* `hooktape platforms [NAME]`: what is known about the platforms that are recognised. It needs no server. */
import { describePlatform, summarise } from '../platforms/describe.ts';
import { platforms } from '../platforms/platforms.ts';
import { didYouMean } from '../shared/suggest.ts';
import { printJson, printTable } from './client/output.ts';
import { type Io, type Run, UsageError } from './io.ts';
import { wrapBeside } from './wrap-text.ts';

export const runPlatforms: Run = async ({ positionals: [given], json }, io) => {
  const one = given === undefined ? undefined : find(given);
  if (one && json) printJson(io, one);
  else if (one) show(io, one);
  else if (json) printJson(io, { platforms: platforms.map(summarise) });
  else
    printTable(
      io,
      platforms
        .map(summarise)
        .map(({ name, title, verified, handshake }) => [
          name,
          title,
          verified.join(', ') || 'does not sign',
          handshake ? 'handshake' : '',
        ]),
    );
};

type Description = ReturnType<typeof describePlatform>;

function find(given: string): Description {
  const wanted = given.toLowerCase();
  const names = platforms.map(({ name, aliases = [], title }) => [name, ...aliases, title.toLowerCase()]);
  const found = platforms[names.findIndex(known => known.includes(wanted))];
  if (!found) throw new UsageError(`unknown platform: ${given}${didYouMean(wanted, names.flat())}`);
  return describePlatform(found);
}

function show(io: Io, platform: Description): void {
  const { name, aliases, title, docsUrl, signature, secret, note } = platform;
  const lines: [label: string, texts: readonly string[]][] = [
    ['name', [name, ...aliases]],
    ['documentation', [docsUrl]],
    ['recognised by', platform.detection],
    ['event type', platform.eventType],
    ['delivery id', platform.deliveryId],
    ['action', platform.action],
    ['highlights', platform.highlights],
    ['signature', signature.length > 0 ? signature : ['none: the platform does not sign']],
    ['URL', [platform.url]],
    ['secret', secret === null ? [] : [secret]],
    ['handshake', platform.handshake],
    ['test events', [platform.testEvents]],
    ['note', note === null ? [] : [note]],
  ];
  const width = Math.max(...lines.map(([label]) => label.length)) + 4;
  const shown = lines.flatMap(([label, texts]) =>
    texts.map((text, i) => wrapBeside(`  ${i === 0 ? label : ''}`, width, text)),
  );
  io.stdout(`${title}\n\n${shown.join('\n')}\n`);
}
