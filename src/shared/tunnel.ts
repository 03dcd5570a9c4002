/* The programs that give a server on a private machine a public URL, in the order in which `auto` looks for them. */

export const tunnelPrograms = ['cloudflared', 'ngrok', 'tailscale'] as const;
export type TunnelProgram = (typeof tunnelPrograms)[number];

/** The values of HOOKTAPE_TUNNEL and `serve --tunnel`. */
export const tunnelChoices = ['off', 'auto', ...tunnelPrograms] as const;
export type TunnelChoice = (typeof tunnelChoices)[number];
