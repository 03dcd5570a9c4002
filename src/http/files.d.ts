declare module '*.css' {
  const text: string;
  export default text;
}
/** A script for browsers, as text. */
declare module '*/docs-explorer.js' {
  const text: string;
  export default text;
}
declare module 'swagger-ui-dist/*' {
  const path: string;
  export default path;
}
declare module '*.md' {
  const text: string;
  export default text;
}
