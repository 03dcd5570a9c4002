/** Some properties of an object, such as the columns of a table or the fields of a row. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> {
  const picked = {} as Pick<T, K>;
  for (const name of names) picked[name] = from[name];
  return picked;
}
