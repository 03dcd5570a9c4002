/*
 * A target for the proof of `hooktape listen`, as a process that can be killed: `listen-target.ts PORT LOG`. It writes a line
 * for each request before it responds, `STATUS PATH EVENT`, and rejects some.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const refusedShare = 0.005;

const [port = '0', file = ''] = process.argv.slice(2);
// A kill must not lose answered requests, and a restart continues with the same file.
const log = openSync(file, 'a');

createServer((request, response) => {
  request.resume().on('end', () => {
    const status = Math.random() < refusedShare ? 500 : 200;
    writeSync(log, `${status} ${request.url} ${request.headers['x-service-replay']}\n`);
    response.writeHead(status, { 'content-length': 0 }).end();
  });
})
  .on('close', () => closeSync(log))
  .listen(Number(port), '127.0.0.1');
