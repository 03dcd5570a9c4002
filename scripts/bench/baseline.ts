/* The baseline: a bare node:http server that reads the body and responds. Usage: baseline.ts PORT */
import { createServer } from 'node:http';

createServer((request, response) => {
  if (request.url === '/readyz') {
    response.end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    const answer = '{"ok":true,"id":"evt_0000000000000000000000000"}';
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
