/* The Homebrew formula, which downloads one of four executables of the release and checks its SHA-256. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homepage, version } from '../lib/about.ts';
import type { Target } from '../lib/native-plugin.ts';
import { releasedExecutable } from './executables.ts';
import { emptyReleaseDir, type Made, packagingDir, platformOf } from './files.ts';

const targets: readonly Target[] = ['bun-darwin-arm64', 'bun-darwin-x64', 'bun-linux-arm64', 'bun-linux-x64'];

export async function makeFormula(): Promise<Made[]> {
  const values = new Map([
    ['version', version],
    ['homepage', homepage],
  ]);
  for (const target of targets) {
    const { file, sha256 } = await releasedExecutable(target);
    values.set(`url ${platformOf(target)}`, `${homepage}/releases/download/v${version}/${basename(file)}`);
    values.set(`sha256 ${platformOf(target)}`, sha256);
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
