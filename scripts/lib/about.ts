/*
 * package.json is the only place for the version, the repository's URL and the maintainers' address. Other files repeat them for tools
 * that read only their own file. `bun run about` writes them there, and a test fails if one differs.
 */
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

export const { version, description, license, author: maintainers } = packageJson;
/** The URL of the project. */
export const homepage = packageJson.repository.url;
/** `OWNER/NAME` on GitHub, and of the image. */
export const repositoryName = homepage.replace('https://github.com/', '');
/** The container image, without a tag. */
export const image = `ghcr.io/${repositoryName}`;
/** The name in the registry of MCP servers. */
export const serverName = `io.github.${repositoryName}`;
/** Debian sorts `2.0.0~rc.1` before `2.0.0`. */
export const debianVersion = version.replace('-', '~');

const root = join(import.meta.dir, '../..');

/** All files that may name the repository, the image or the maintainers. */
const files = [
  '*.{md,json}',
  '.env.example',
  'Dockerfile',
  'clients/*/*.{md,json,toml}',
  'clients/*/src/**/*.{ts,py}',
  'docs/**/*.{md,json}',
  'packaging/**/*.{md,json,yaml,yml,toml,xml,rb,js,svg}',
  'skills/**/*.md',
  '.github/**/*.{md,yml}',
  'src/{shared,config}/**/*.ts',
];

type Rule = { pattern: RegExp; to: string };

const everywhere: readonly Rule[] = [
  {
    pattern: /\b((?:raw\.)?github(?:usercontent)?\.com|api\.github\.com\/repos|ghcr\.io)\/[\w.-]+\/hooktape\b/g,
    to: `$1/${repositoryName}`,
  },
  { pattern: /\b(ghcr\.io\/[\w.-]+\/hooktape):\d[\w.-]*/g, to: `$1:${version}` },
  { pattern: /\bio\.github\.[\w.-]+\/hooktape\b/g, to: serverName },
  // Released files, as the documents name them.
  { pattern: /\b(releases\/download\/|hooktape\.git#)v\d+\.\d+\.\d+(-[\w.]+)?/g, to: `$1v${version}` },
  {
    pattern:
      /\b(hooktape-(?:[a-z]\w*-)*)\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?(\.tgz|-py3-none-any\.whl|-(?:amd64|arm64)\.tar\.gz)/g,
    to: `$1${version}$2`,
  },
  {
    pattern: /\b(hooktape-image-)\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?(-(?:amd64|arm64)\.tar\.gz)/g,
    to: `$1${version}$2`,
  },
  { pattern: /\bhooktape_\d+\.\d+\.\d+[\w.~]*?(_(?:amd64|arm64)\.deb)/g, to: `hooktape_${debianVersion}$1` },
  { pattern: /\bThe Hooktape maintainers <[^<>\s]+>/g, to: maintainers },
];

/** Lines that give the version of Hooktape, and not of something else. */
const versionLines: readonly { file: RegExp; pattern: RegExp; to: string }[] = [
  {
    file: /^(server\.json|clients\/\w+\/package\.json|packaging\/.*meta\.json)$/,
    pattern: /^( *"version": )"[^"]*"/gm,
    to: `$1"${version}"`,
  },
  {
    file: /^clients\/\w+\/package\.json$/,
    pattern: /^( *"@hooktape\/\w+": )"[^"]*"/gm,
    to: `$1"${version}"`,
  },
  { file: /^clients\/python\/pyproject\.toml$/, pattern: /^version = ".*"$/m, to: `version = "${version}"` },
  { file: /^Dockerfile$/, pattern: /(image\.version)="[^"]*"/, to: `$1="${version}"` },
  { file: /\/Chart\.yaml$/, pattern: /^(appVersion|version): .*$/gm, to: `$1: ${version}` },
  { file: /^packaging\/casaos\/.*\.yaml$/, pattern: /^( *version): ".*"$/gm, to: `$1: "${version}"` },
];

/** The text that a file should have. */
export const currentText = (file: string, text: string): string =>
  [...everywhere, ...versionLines.filter(line => line.file.test(file))].reduce(
    (result, { pattern, to }) => result.replace(pattern, to),
    text,
  );

/** The files that are not current, with the text that they should have. */
export async function outdatedFiles(): Promise<{ file: string; text: string }[]> {
  const paths = new Set(
    files.flatMap(glob => [...new Bun.Glob(glob).scanSync({ cwd: root, dot: true })]).filter(isOurs),
  );
  const outdated: { file: string; text: string }[] = [];
  for (const file of [...paths].sort()) {
    const before = await Bun.file(join(root, file)).text();
    const text = currentText(file, before);
    if (text !== before) outdated.push({ file, text });
  }
  return outdated;
}

/** The history and the file that has the facts are left alone. */
const isOurs = (file: string): boolean =>
  !/(^|\/)(node_modules|dist)\//.test(file) && file !== 'CHANGELOG.md' && file !== 'package.json';

if (import.meta.main)
  for (const { file, text } of await outdatedFiles()) {
    await Bun.write(join(root, file), text);
    console.log(file);
  }
