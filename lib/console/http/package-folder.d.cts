/** The folder with the package's own package.json; `undefined` if a bundler has moved the code elsewhere. */
export declare const packageFolder: string | undefined;
