/* The examples of the libraries' README files compile. Names that they use are declared here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checks, ensure } from '../lib/checks.ts';
import { clientsDir } from '../release/clients.ts';
import { run } from '../test-clients/workspace.ts';
import type { Proof } from './project.ts';

const given = `
declare const shop: { registerWebhook(url: string): Promise<void>; checkout(cart: object): Promise<void>; refund(order: object): Promise<void> };
declare const cart: object;
declare const order: { id: string };
declare const signal: AbortSignal;
declare const expect: (value: unknown) => { toBe(other: unknown): void; toEqual(other: unknown): void };
`;
/** Names that an earlier example of the same page creates. */
const earlier: Record<string, string> = {
  inbox: "declare const inbox: import('@hooktape/client').EndpointClient;",
  event: "declare const event: import('@hooktape/client').CapturedEvent;",
  hooktape: "declare const hooktape: import('@hooktape/client').Hooktape;",
};

const examples = (name: string, language: string): string[] =>
  [...readFileSync(join(clientsDir, name, 'README.md'), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, marked, code = '']) => (marked === language ? [code] : []),
  );

export async function checkReadmes(checks: Checks, { npmProject, python }: Proof): Promise<void> {
  await checks.check('README: the examples in TypeScript compile', async () => {
    const cwd = await npmProject();
    const all = [...examples('typescript', 'ts'), ...examples('testcontainers', 'ts')];
    ensure(all.length >= 6, `found ${all.length}`);
    const files = await Promise.all(
      all.map(async (code, i) => {
        const missing = Object.entries(earlier).flatMap(([name, declaration]) =>
          new RegExp(`const ${name}\\b`).test(code) ? [] : [declaration],
        );
        await Bun.write(join(cwd, `example-${i}.ts`), [given, ...missing, code, 'export {};'].join('\n'));
        return `example-${i}.ts`;
      }),
    );
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
    await run(['node_modules/.bin/tsc', ...options, ...files], { cwd });
    return `${all.length} examples`;
  });
  await checks.check('README: the examples in Python compile', async () => {
    const all = examples('python', 'python');
    ensure(all.length >= 4, `found ${all.length}`);
    for (const code of all)
      await run([await python(), '-c', `compile(${JSON.stringify(code)}, "README.md", "exec")`], { cwd: clientsDir });
    return `${all.length} examples`;
  });
}
