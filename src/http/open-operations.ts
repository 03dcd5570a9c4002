/* The API operations that need no credentials: sign-in, first run and invitations. HEAD is like GET. */

const open =
  /^(?:(?:GET|HEAD) \/api\/session|POST \/api\/(?:session|setup)|(?:GET|HEAD|POST) \/api\/invitations\/[^/]+)$/;

export const isOpenOperation = (method: string, path: string): boolean => open.test(`${method} ${path}`);
