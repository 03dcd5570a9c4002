/* The files for home servers agree with the image, its port and volume, the names of settings, and the rules of each catalogue. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../src/config/settings.ts';
import { Stats } from '../../src/features/overview/model.ts';
import { image, version } from '../lib/about.ts';
import { repositoryRoot } from '../lib/executable.ts';
import { codeBlock } from '../proxies/programs.ts';
import { packagingDir } from './files.ts';

type Service = {
  image: string;
  container_name?: string;
  environment: Record<string, string> | string[];
  volumes: (string | { source: string; target: string })[];
  ports?: { target: number; published: string }[];
  expose?: number[];
  networks?: unknown;
  healthcheck: { test: string[] };
  read_only: boolean;
  cap_drop: string[];
  labels?: Record<string, string>;
};
type Compose = {
  services: Record<string, Service> & { hooktape: Service };
  volumes: Record<string, unknown>;
  networks?: unknown;
  configs?: Record<string, { content: string }>;
  'x-casaos'?: Record<string, unknown> & { id: string; main: string; port_map: string; category: string };
};

const textOf = (path: string): string => readFileSync(join(packagingDir, path), 'utf8');
const composeOf = (path: string): Compose => Bun.YAML.parse(textOf(path)) as Compose;
const dockerfile = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');
const fromDockerfile = (instruction: string): string =>
  new RegExp(`^${instruction} (.+)$`, 'm').exec(dockerfile)?.[1] ?? '';
const port = fromDockerfile('EXPOSE');
const volume = fromDockerfile('VOLUME');

const composeFiles = [
  'compose/caddy.yaml',
  'compose/traefik.yaml',
  'coolify/hooktape.yaml',
  'dokploy/docker-compose.yml',
  'casaos/docker-compose.yml',
];

test('the image has one port and one volume', () => expect([port, volume]).toEqual(['4665', '/data']));

test.each(composeFiles)('%s has the released image, the volume, settings that exist, and the restrictions', file => {
  const { services, volumes } = composeOf(file);
  const { hooktape } = services;
  expect(hooktape.image).toBe(`${image}:${version}`);
  const mounts = hooktape.volumes.map(mount =>
    typeof mount === 'string' ? mount.split(':') : [mount.source, mount.target],
  );
  expect(mounts.map(([, target]) => target)).toEqual([volume]);
  expect(Object.keys(volumes)).toContain(mounts[0]?.[0] ?? '');
  const names = Array.isArray(hooktape.environment)
    ? hooktape.environment.map(line => line.split('=')[0] ?? '')
    : Object.keys(hooktape.environment);
  expect(names).toContain('HOOKTAPE_BASE_URL');
  expect(names.filter(name => name.startsWith('HOOKTAPE_') && !(name in settings))).toEqual([]);
  expect(hooktape.healthcheck.test).toEqual(['CMD', 'hooktape', 'health']);
  expect([hooktape.read_only, hooktape.cap_drop]).toEqual([true, ['ALL']]);
});

test('Caddy has the documented configuration', () => {
  const lines = (text: string): string[] => text.split('\n').map(line => line.trim());
  const expected = codeBlock('caddyfile', 'reverse_proxy')
    .replace('hooks.example.com', `\${DOMAIN}`)
    .replace('127.0.0.1:', 'hooktape:');
  expect(lines(composeOf('compose/caddy.yaml').configs?.['caddyfile']?.content ?? '')).toEqual(lines(expected));
});

test('Traefik sends to the port, and has the documented settings', () => {
  const labels = composeOf('compose/traefik.yaml').services.hooktape.labels ?? {};
  const service = 'traefik.http.services.hooktape.loadbalancer';
  expect(labels[`${service}.server.port`]).toBe(port);
  expect(labels[`${service}.responseforwarding.flushinterval`]).toBe('-1');
  expect(codeBlock('yaml', 'loadBalancer:')).toContain('flushInterval: "-1"');
  expect(textOf('compose/traefik.yaml')).toContain('--entrypoints.websecure.http.sanitizepath=false');
  expect(codeBlock('yaml', 'entryPoints:\n')).toContain('sanitizePath: false');
});

test('Coolify: the header that it reads, and the port for its proxy', () => {
  const text = textOf('coolify/hooktape.yaml');
  for (const key of ['documentation', 'slogan', 'category', 'tags', 'logo'])
    expect(text).toMatch(new RegExp(`^# ${key}: .`, 'm'));
  expect(text).toContain(`# port: ${port}\n`);
  expect(composeOf('coolify/hooktape.yaml').services.hooktape.environment).toContain(`SERVICE_URL_HOOKTAPE_${port}`);
});

test('Dokploy: a domain for the service, variables that are defined, and nothing that its validator refuses', () => {
  const { services, networks } = composeOf('dokploy/docker-compose.yml');
  const { variables, config } = Bun.TOML.parse(textOf('dokploy/template.toml')) as {
    variables: Record<string, string>;
    config: { env: string[]; domains: { serviceName: string; port: number; host: string }[] };
  };
  expect(networks).toBeUndefined();
  for (const service of Object.values(services))
    expect([service.container_name, service.networks, service.ports]).toEqual([undefined, undefined, undefined]);
  expect(config.domains).toEqual([{ serviceName: 'hooktape', port: Number(port), host: `\${main_domain}` }]);
  const needed = [...textOf('dokploy/docker-compose.yml').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  expect(config.env.map(line => line.split('=')[0])).toEqual(needed);
  const used = [...config.env.join().matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  expect(used).toEqual(Object.keys(variables));
  const { id, logo } = JSON.parse(textOf('dokploy/meta.json')) as { id: string; logo: string };
  expect(id).toBe('hooktape');
  expect(textOf(`dokploy/${logo}`)).toBe(readFileSync(join(repositoryRoot, 'src/ui/favicon.svg'), 'utf8'));
});

test('CasaOS: the rules of its store', () => {
  const { services, 'x-casaos': store } = composeOf('casaos/docker-compose.yml');
  expect(services.hooktape.ports).toEqual([expect.objectContaining({ target: Number(port), published: port })]);
  expect(store).toMatchObject({
    main: 'hooktape',
    index: '/',
    port_map: port,
    version,
    architectures: ['amd64', 'arm64'],
  });
  expect(store?.id).toMatch(/^[a-z\d_-]+(\.[a-z\d_-]+)+$/);
  expect(['Media', 'Productivity', 'Home', 'Networking', 'AI', 'Finance', 'Social', 'Developer', 'Others']).toContain(
    store?.category ?? '',
  );
  for (const field of ['title', 'tagline', 'description'])
    expect(store?.[field]).toEqual({ en_US: expect.stringMatching(/./) });
});

describe('Unraid', () => {
  const xml = textOf('unraid/hooktape.xml');
  const fieldOf = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  const configs = [...xml.matchAll(/<Config ([^>]*)>([^<]*)<\/Config>/g)].map(([, attributes = '', value = '']) => ({
    ...Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text])),
    value,
  })) as { Type: string; Target: string; Default: string; value: string; Required: string }[];
  const targets = (type: string) => configs.filter(config => config.Type === type).map(config => config.Target);

  test('the image, the port, the volume, and settings that exist', () => {
    expect(fieldOf('Repository')).toBe(`${image}:${version}`);
    expect(fieldOf('WebUI')).toBe(`http://[IP]:[PORT:${port}]/`);
    expect([targets('Port'), targets('Path')]).toEqual([[port], [volume]]);
    expect(targets('Variable').filter(name => !(name in settings))).toEqual([]);
    for (const config of configs) expect(config.value).toBe(config.Default);
  });

  test('the fields that its catalogue wants, and a profile', () => {
    const wanted = ['Name', 'Overview', 'Category', 'Icon', 'Project', 'Support', 'TemplateURL'];
    expect(wanted.filter(name => fieldOf(name) === '')).toEqual([]);
    expect(textOf('unraid/ca_profile.xml')).toMatch(/<Profile>[^<]+<\/Profile>/);
    for (const text of [xml, textOf('unraid/ca_profile.xml')]) expect(isWellFormed(text)).toBe(true);
  });

  test('addresses of files name files of this repository', () => {
    const named = [...xml.matchAll(/\/main\/(packaging\/[^<]+)</g)].map(([, path = '']) => path);
    expect(named).toEqual(['packaging/unraid/hooktape.xml', 'packaging/unraid/icon.png']);
    for (const path of named) expect(readFileSync(join(repositoryRoot, path)).length).toBeGreaterThan(0);
  });
});

/** Whether each element is closed in its place, and no `&` or `<` is text. */
function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  const rest = xml
    .replace(/^<\?xml [^>]*\?>/, '')
    .replace(/<(\/?)(\w+)((?: \w+="[^"<]*")*)\s*(\/?)>/g, (_, end, name, _attributes, empty) => {
      if (end) return open.pop() === name ? '' : '<';
      if (!empty) open.push(name);
      return '';
    });
  return open.length === 0 && !/[<&]/.test(rest);
}

test('the widget of Homepage shows fields of GET /api/stats', () => {
  const [group] = Bun.YAML.parse(textOf('homepage/services.yaml')) as [
    { Developer: [{ Hooktape: { widget: { type: string; url: string; mappings: { field: string }[] } } }] },
  ];
  const { type, url, mappings } = group.Developer[0].Hooktape.widget;
  expect([type, new URL(url).pathname]).toEqual(['customapi', '/api/stats']);
  expect(mappings.map(({ field }) => field).filter(field => !(field in Stats.properties))).toEqual([]);
  expect(mappings.length).toBe(4);
});
