/* The operations that need no credentials, by method and exact path: sign-in, first run and invitations. */

const open = /^(?:GET \/api\/session|POST \/api\/(?:session|setup)|(?:GET|POST) \/api\/invitations\/[^/]+)$/;

export const isOpenOperation = (method: string, path: string): boolean => open.test(`${method} ${path}`);
