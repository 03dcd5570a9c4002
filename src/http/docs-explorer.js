/*
 * Swagger UI for the page `/docs`. A plugin replaces the parts that a screen reader or a keyboard cannot use: links inside of buttons,
 * fields and code without a name or a tab stop, two main landmarks. `openRequests` (docs.ts): patterns for method and path of the
 * operations that need no credentials.
 *
 * A key that a user enters stays in the memory of the page until a sign-out in another tab (ui/pages/explorer-key.ts). Version 1.0
 * kept it in localStorage.
 */
try {
  localStorage.removeItem('authorized');
} catch {}
new BroadcastChannel('hooktape-sign-out').onmessage = () => location.reload();

const isOpen = request =>
  openRequests.some(one =>
    new RegExp(one).test(`${request.get('method')} ${new URL(request.get('url'), location.href).pathname}`),
  );
// Requests from this page can use the session of the browser, which curl does not have: its command gets a placeholder to replace,
// unless the operation needs no credentials.
const withCredential = request =>
  isOpen(request) || request.hasIn(['headers', 'Authorization'])
    ? request
    : request.setIn(['headers', 'Authorization'], 'Bearer htk_YOUR_API_KEY');

const hooktape = ({ React: { createElement: h } }) => {
  /** Changes attributes of the elements that a component made. React sets them once only, when it makes the elements. */
  const attributes = (Original, change) => props => h('div', { ref: made => made && change(made) }, h(Original, props));
  /** A label around a field, which has no name or only a placeholder. */
  const labelled = nameOf => Original => props =>
    h('label', null, h('span', { className: 'offscreen' }, nameOf(props)), h(Original, props));
  const named = labelled(({ description }) => description);

  const Layout = props => {
    const { specSelectors, getComponent } = props;
    const part = (name, isContainer = true) => h(getComponent(name, isContainer));
    if (specSelectors.loadingStatus() !== 'success') return h('main', null, h(getComponent('BaseLayout', true), props));
    return h(
      'main',
      { className: 'swagger-ui' },
      part('SvgAssets', false),
      part('errors'),
      part('InfoContainer'),
      h('h2', null, 'Operations'),
      part('AuthorizeBtnContainer'),
      part('operations'),
      part('Models'),
    );
  };
  return {
    components: {
      HooktapeLayout: Layout,
      // All operations are sent to this server.
      Servers: () => null,
      // The button around it opens the operation.
      DeepLink: ({ text }) => h('span', null, text),
      PlainTextViewer: ({ className = '', children }) =>
        h('pre', { className: `microlight ${className}`, tabIndex: 0 }, children),
    },
    wrapComponents: {
      curl: Original => props => h(Original, { ...props, request: withCredential(props.request) }),
      JsonSchema_string: named,
      JsonSchema_boolean: named,
      // Their labels are other words than what they show.
      Button:
        Original =>
        ({ 'aria-label': _, ...props }) =>
          h(Original, props),
      CloseIcon: Original => props => [
        h(Original, { ...props, key: 'icon' }),
        h('span', { className: 'offscreen', key: 'name' }, 'Close'),
      ],
      TextArea: Original => props => h(Original, { 'aria-label': 'Request body', ...props }),
      // A table that is a region has no rows for a screen reader.
      responses: Original =>
        attributes(Original, made => made.querySelector('.responses-table[role]')?.removeAttribute('role')),
    },
  };
};

SwaggerUIBundle({
  plugins: [hooktape],
  layout: 'HooktapeLayout',
  url: '/docs/openapi.json',
  dom_id: '#explorer',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  // Its colours are style attributes, of which some have too little contrast.
  syntaxHighlight: { activated: false },
});
