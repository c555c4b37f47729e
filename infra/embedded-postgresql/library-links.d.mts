export declare function makeLibraryLinks(packageRoot: string): void;
