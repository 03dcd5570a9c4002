/* `.env.example`, rendered from the table: every setting commented out, with its documentation and its default. */

import { type Setting, settingNames, settings } from './settings.ts';

const exampleHeader = `# Settings of Hooktape. Generated from src/config/settings.ts by \`bun run env-example\`; do not edit.
#
# Copy to ./hooktape.env, or name the copy with --env-file or HOOKTAPE_ENV_FILE. The process environment takes precedence over
# this file, and this file over the defaults. An empty value counts as not set. Every secret NAME can instead be read from the file that
# NAME_FILE names. Durations: 500ms, 30s, 15m, 12h, 7d. Sizes: 512KiB, 32MiB. Commented lines show the default or an example.
`;

function render(name: string, { about, default: byDefault, example, secret }: Setting<unknown>): string {
  const lines = [...about.map(line => `# ${line}`), `#${name}=${byDefault ?? example ?? ''}`];
  if (secret) lines.push(`#${name}_FILE=/run/secrets/${name.toLowerCase()}`);
  return lines.join('\n');
}

/** The whole text of `.env.example`. */
export const renderEnvExample = (): string =>
  `${[exampleHeader, ...settingNames.map(name => `${render(name, settings[name])}\n`)].join('\n')}`;
