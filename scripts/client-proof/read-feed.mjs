/* Prints the ids of an endpoint's events until the last one: `read-feed.mjs URL KEY ENDPOINT`. */
import process from 'node:process';
import { Hooktape } from '@hooktape/client';

const [url, key, endpoint] = process.argv.slice(2);
for await (const { id, path } of new Hooktape({ url, key }).endpoint(endpoint).feed({ after: 'start' })) {
  console.log(id);
  if (path === '/last') break;
}
