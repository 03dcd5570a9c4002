/* The operations that need no credentials, by method and exact path: sign-in, first run and invitations. HEAD is as GET. */

const open =
  /^(?:(?:GET|HEAD) \/api\/session|POST \/api\/(?:session|setup)|(?:GET|HEAD|POST) \/api\/invitations\/[^/]+)$/;

export const isOpenOperation = (method: string, path: string): boolean => open.test(`${method} ${path}`);
