/*
 * Ports of other protocols (mail, databases, caches, chat) that could misinterpret an HTTP request as commands: the ports that
 * browsers block (Fetch standard, "port blocking"), and the ports of common data stores. Most ports below 20 are left out,
 * because a request there can only fail.
 */

/** docs/replay.md lists them for users. */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123,
  135, 137, 138, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
  563, 587, 601, 636, 873, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 3306, 3389, 3659, 4045, 4190, 5060,
  5061, 5432, 5672, 5900, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9418, 10080, 11211, 27017,
]);

export const isBlockedPort = (port: number): boolean => blockedPorts.has(port);
