/* The number of connections that the server accepts, from its limit of file descriptors. */

/** File descriptors for other uses than connections: threads, database, internal sockets. */
const ownFiles = 48;
const leastConnections = 16;

/**
 * How many connections a process with this many file descriptors accepts, and how many of them one client network may have.
 * Some descriptors are reserved for the database, backups, replays and other outbound requests. A network may have most
 * connections, because it may be a proxy or an office.
 */
export function connectionCounts(openFiles: number): { total: number; perNetwork: number } {
  const reserve = ownFiles + Math.min(512, Math.floor(openFiles / 8));
  const total = Math.max(leastConnections, openFiles - reserve);
  return { total, perNetwork: Math.floor((total * 7) / 8) };
}
