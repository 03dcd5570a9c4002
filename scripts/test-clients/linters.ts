/* The OpenAPI description has no error and no warning under the recommended rules of API linters. */
import { join } from 'node:path';
import type { Checks } from '../lib/checks.ts';
import type { Subject } from './server.ts';
import { npmWorkspace, run } from './workspace.ts';

export async function checkLinters(checks: Checks, { origin }: Subject): Promise<void> {
  const prepare = async (): Promise<{ cwd: string; file: string }> => {
    const cwd = await npmWorkspace();
    const file = join(cwd, 'openapi.json');
    await Bun.write(file, await (await fetch(`${origin}/openapi.json`)).text());
    return { cwd, file };
  };

  await checks.check('spectral: the rules of spectral:oas', async () => {
    const { cwd, file } = await prepare();
    const ruleset = join(cwd, '.spectral.json');
    await Bun.write(ruleset, '{ "extends": ["spectral:oas"] }\n');
    await run(['npx', 'spectral', 'lint', file, '--ruleset', ruleset, '--fail-severity', 'hint'], { cwd });
    return undefined;
  });

  await checks.check('redocly: the recommended rules', async () => {
    const { cwd, file } = await prepare();
    const report = await run(['npx', 'redocly', 'lint', '--extends', 'recommended', '--format', 'json', file], { cwd });
    const { totals, problems } = JSON.parse(report.slice(report.indexOf('{'))) as {
      totals: { errors: number; warnings: number };
      problems: { ruleId: string; message: string }[];
    };
    if (totals.errors + totals.warnings > 0)
      throw new Error(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'));
    return undefined;
  });
}
