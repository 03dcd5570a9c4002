/* The Homebrew formula, which downloads one of four executables of the release and checks its SHA-256. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homepage, version } from '../lib/about.ts';
import { buildExecutable, repositoryRoot } from '../lib/executable.ts';
import type { Target } from '../lib/native-plugin.ts';
import { emptyReleaseDir, type Made, packagingDir, platformOf } from './files.ts';

const targets: readonly Target[] = ['bun-darwin-arm64', 'bun-darwin-x64', 'bun-linux-arm64', 'bun-linux-x64'];

/** The released file of a target, as `bun run build --target all` builds it on any machine. */
async function releasedFile(target: Target): Promise<string> {
  const outfile = join(repositoryRoot, `dist/hooktape-${platformOf(target)}`);
  await buildExecutable({ target, outfile });
  return outfile;
}

export async function makeFormula(): Promise<Made[]> {
  const values = new Map([
    ['version', version],
    ['homepage', homepage],
  ]);
  for (const target of targets) {
    const file = await releasedFile(target);
    values.set(`url ${platformOf(target)}`, `${homepage}/releases/download/v${version}/${basename(file)}`);
    values.set(`sha256 ${platformOf(target)}`, new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex'));
  }
  const template = readFileSync(join(packagingDir, 'homebrew/hooktape.rb'), 'utf8');
  const formula = template.replace(/^#.*\n/, '').replace(/\{\{(.+?)\}\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the formula has an unknown placeholder: ${name}`);
    return value;
  });
  const { dir, made } = emptyReleaseDir('brew');
  writeFileSync(join(dir, 'hooktape.rb'), formula);
  return [made('hooktape.rb')];
}
