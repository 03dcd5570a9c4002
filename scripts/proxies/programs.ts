/*
 * Starts the reverse proxies of docs/installing.md with the configuration from that page. Only addresses, ports and certificates are
 * replaced for a local test, and all state stays in `directory`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The host name in the documented configuration. */
export const publicHost = 'hooks.example.com';

export type ReverseProxy = {
  name: string;
  /** Undefined if it is not installed. */
  program: string | undefined;
  /** Whether header names keep their case and order. Proxies written in Go change them. */
  exactNames: boolean;
  /** The tested paths and queries that it rewrites, as documented. */
  alters: readonly string[];
  /** The headers, in lower case, that it adds to a delivery in addition to forwarding headers, as documented. */
  adds: readonly string[];
  /** Writes the configuration. @returns the arguments to start the proxy with */
  configure: (setup: { directory: string; port: number; upstream: number }) => string[];
};

/** The only code block of the page of the documentation in this language that contains `mark`. */
export function codeBlock(language: string, mark: string, page = 'installing.md'): string {
  const manual = readFileSync(join(import.meta.dir, '../../docs', page), 'utf8');
  const blocks = [...manual.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(found => found[1]);
  const [block, second] = blocks.filter(text => text?.includes(mark));
  if (block === undefined || second !== undefined)
    throw new Error(`docs/${page} must have exactly one block with ${mark}`);
  return block;
}

/** @throws if a text to replace is missing, because the documentation has changed */
export function replace(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the documentation no longer contains ${from}`);
    return before.replaceAll(from, to);
  }, text);
}

export const nginx = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` }) ?? undefined;
export const caddy = Bun.which('caddy') ?? undefined;

/** Writes the configuration of nginx with this server. @returns the arguments to start it with */
export function configureNginx(directory: string, site: string): string[] {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
events {}
http {
  access_log off;
  ${temporary.map(name => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  ${site}
}`,
  );
  return ['-c', join(directory, 'nginx.conf'), '-e', join(directory, 'error.log')];
}

/** Writes the configuration of Caddy with this site. @returns the arguments to start it with */
export function configureCaddy(directory: string, site: string): string[] {
  const options = '{\n  admin off\n  default_bind 127.0.0.1\n}\n';
  writeFileSync(join(directory, 'Caddyfile'), options + site);
  return ['run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')];
}

export const proxies: ReverseProxy[] = [
  {
    name: 'nginx',
    program: nginx,
    exactNames: true,
    alters: [],
    adds: [],
    configure: ({ directory, port, upstream }) => {
      const site = replace(codeBlock('nginx', 'proxy_pass'), {
        'listen 80;': `listen 127.0.0.1:${port};`,
        '127.0.0.1:4665': `127.0.0.1:${upstream}`,
      });
      return configureNginx(directory, site);
    },
  },
  {
    name: 'Caddy',
    program: caddy,
    exactNames: false,
    alters: [],
    adds: [],
    configure: ({ directory, port, upstream }) => {
      const site = replace(codeBlock('caddyfile', 'reverse_proxy'), {
        [publicHost]: `http://${publicHost}:${port}`,
        '127.0.0.1:4665': `127.0.0.1:${upstream}`,
      });
      return configureCaddy(directory, site);
    },
  },
  {
    name: 'Traefik',
    program: Bun.which('traefik') ?? undefined,
    exactNames: false,
    alters: ['/%7Euser', '/%2e%2E/./c', 'semi;colon=1;2'],
    adds: ['accept-encoding'],
    configure: ({ directory, port, upstream }) => {
      const dynamic = join(directory, 'dynamic.yml');
      writeFileSync(
        dynamic,
        replace(codeBlock('yaml', 'loadBalancer:'), {
          ', tls: { certResolver: le }': '',
          'http://127.0.0.1:4665': `http://127.0.0.1:${upstream}`,
        }),
      );
      writeFileSync(
        join(directory, 'traefik.yml'),
        `${replace(codeBlock('yaml', 'entryPoints:\n'), { '":443"': `"127.0.0.1:${port}"` })}
providers: { file: { filename: ${JSON.stringify(dynamic)} } }
global: { checkNewVersion: false, sendAnonymousUsage: false }
`,
      );
      return [`--configFile=${join(directory, 'traefik.yml')}`];
    },
  },
];
