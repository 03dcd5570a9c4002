/*
 * What each tunnel program needs to be told, what it prints, and how it is installed. The forms of the output come from the programs'
 * source: cloudflared cmd/cloudflared/tunnel/quick_tunnel.go, tailscale cmd/tailscale/cli/serve_v2.go, and the log of the ngrok agent.
 */
import { arch, devNull, platform } from 'node:os';
import { tryJson } from '../../core/json/try-json.ts';
import { type TunnelChoice, type TunnelProgram, tunnelPrograms } from '../../shared/tunnel.ts';
import { ConfigurationError } from '../io.ts';

export type TunnelCommand = { name: TunnelProgram; path: string };

type Program = {
  /** @param target the URL of the listener that serves only ingest URLs */
  args: (target: string) => string[];
  /** The address that a line of output announces; undefined for any other line. */
  announced: (line: string) => string | undefined;
  /** The command that installs it. */
  install: (system: string, cpu: string) => string;
};

const url = '[a-z][a-z0-9+.-]*://[^\\s|"\'\\\\]+';
const boxed = new RegExp(`\\|\\s+(${url})\\s+\\|`, 'i');
const alone = new RegExp(`^(?:Available on the internet:)?\\s*(${url})$`, 'i');
const quickTunnel = /(?:^|\s)(https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com)(?:\s|$)/i;
const tailscaleHost = /^https:\/\/[^/]+\.ts\.net(?::\d+)?\/?$/i;
const ngrokText = new RegExp(`msg="?started tunnel"?.*\\surl="?(${url})`, 'i');

const goArch = (cpu: string): string => (cpu === 'x64' ? 'amd64' : cpu);

const programs: Record<TunnelProgram, Program> = {
  cloudflared: {
    // A configuration file may name another tunnel or other targets: it would open those, too.
    args: target => ['tunnel', '--config', devNull, '--no-autoupdate', '--url', target],
    announced: line => (boxed.exec(line) ?? quickTunnel.exec(line))?.[1],
    install: (system, cpu) => {
      if (system === 'darwin') return 'brew install cloudflared';
      if (system === 'win32') return 'winget install --id Cloudflare.cloudflared';
      const file = `https://github.com/cloudflare/cloudflared/releases/latest/download/cloudflared-linux-${goArch(cpu)}`;
      return `sudo curl -fLo /usr/local/bin/cloudflared ${file} && sudo chmod +x /usr/local/bin/cloudflared`;
    },
  },
  ngrok: {
    args: target => ['http', target, '--log', 'stdout', '--log-format', 'json'],
    announced: line => {
      const { msg, url: address } = Object(tryJson(line));
      if (msg === 'started tunnel' && typeof address === 'string') return address;
      return ngrokText.exec(line)?.[1];
    },
    install: (system, cpu) => {
      if (system === 'darwin') return 'brew install ngrok';
      if (system === 'win32') return 'winget install Ngrok.Ngrok';
      const file = `https://bin.ngrok.com/c/bNyj1mQVY4c/ngrok-v3-stable-linux-${goArch(cpu)}.tgz`;
      return `curl -fsSL ${file} | sudo tar xz -C /usr/local/bin`;
    },
  },
  tailscale: {
    args: target => ['funnel', target],
    // The page on which Funnel is enabled is on a line of its own, too.
    announced: line => {
      const address = alone.exec(line.trim())?.[1];
      return address && (tailscaleHost.test(address) || line.startsWith('Available')) ? address : undefined;
    },
    install: system => {
      if (system === 'darwin') return 'brew install tailscale';
      if (system === 'win32') return 'winget install Tailscale.Tailscale';
      return 'curl -fsSL https://tailscale.com/install.sh | sh';
    },
  },
};

export const argumentsOf = (name: TunnelProgram, target: string): string[] => programs[name].args(target);
export const announcedIn = (name: TunnelProgram, line: string): string | undefined => programs[name].announced(line);

/** The program on the PATH; `auto`: the first installed. @throws ConfigurationError with how to install it */
export function findTunnelProgram(
  choice: Exclude<TunnelChoice, 'off'>,
  { PATH = '' }: Readonly<Record<string, string | undefined>>,
): TunnelCommand {
  const wanted = choice === 'auto' ? tunnelPrograms : [choice];
  for (const name of wanted) {
    const path = Bun.which(name, { PATH });
    if (path !== null) return { name, path };
  }
  const install = (name: TunnelProgram): string => programs[name].install(platform(), arch());
  throw new ConfigurationError([
    choice === 'auto'
      ? `HOOKTAPE_TUNNEL: none of ${tunnelPrograms.join(', ')} is installed. cloudflared needs no account: ${install('cloudflared')}`
      : `HOOKTAPE_TUNNEL: ${choice} is not installed: ${install(choice)}`,
  ]);
}
