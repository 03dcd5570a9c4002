/*
 * `/openapi.json` and `/docs`: the interface description and an explorer for it (Swagger UI) that needs no network. Its
 * files are embedded; nothing on the page comes from another origin.
 */
import { Elysia } from 'elysia';
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hooktape API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="explorer"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/explorer.js"></script>
</body>
</html>
`;

// A pasted key lives in the page's memory only, and not beyond signing out in another tab (ui/parts/explorer-key.ts). Version 1.0
// kept it in storage.
const start = `try {
  localStorage.removeItem('authorized');
} catch {}
new BroadcastChannel('hooktape-sign-out').onmessage = () => location.reload();
SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#explorer',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

// Swagger UI sets style attributes and shows its icons from data: URLs.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const asset = (body: string | Blob, type: string, caching = 'no-cache'): Response =>
  new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': caching,
      'content-security-policy': policy,
      'x-frame-options': 'DENY',
    },
  });

/** @param describe called when somebody asks: the start does not wait for it */
export const docsRoutes = (describe: () => Record<string, unknown>) => {
  let forGenerators: string | undefined;
  let forExplorer: string | undefined;
  const read = async (file: string) => new Blob([await Bun.file(file).arrayBuffer()]);
  return (
    new Elysia()
      .get('/openapi.json', () => {
        forGenerators ??= JSON.stringify(describe());
        return asset(forGenerators, 'application/json');
      })
      // The page may call nothing but the origin that it was opened at, which need not be HOOKTAPE_BASE_URL.
      .get('/docs/openapi.json', () => {
        forExplorer ??= JSON.stringify({ ...describe(), servers: [{ url: '/' }] });
        return asset(forExplorer, 'application/json');
      })
      .get('/docs', () => asset(page, 'text/html; charset=utf-8', 'no-store'))
      .get('/docs/explorer.js', () => asset(start, 'text/javascript; charset=utf-8'))
      .get('/docs/swagger-ui.js', async () =>
        asset(await read(bundleFile), 'text/javascript; charset=utf-8', 'max-age=86400'),
      )
      .get('/docs/swagger-ui.css', async () => asset(await read(styleFile), 'text/css; charset=utf-8', 'max-age=86400'))
  );
};
