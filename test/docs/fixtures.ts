import { readFileSync } from 'node:fs';

const load = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

/** The settings file of an application in Java that sets all the starter knows. */
export const applicationYml = load('application.yml');

/**
 * The nodes that the application has stored: the values of the jobs' roots and configurations by path. Recorded with
 * elasticjob-lite-spring-boot-starter 3.0.4, SnakeYAML 2.2 and Spring Boot 2.7.10, with beans of the two classes, a
 * listener STOPWATCH and an executor PRINT.
 */
export const javaStarter = JSON.parse(load('java-3.0.4-starter.json')) as Readonly<Record<string, string>>;

/**
 * Names of what users can set or call, by the classes of Java 3.0.4 that `javap` shows them of: fields of properties,
 * public methods.
 */
export const javaSurface = JSON.parse(load('java-3.0.4-surface.json')) as Readonly<Record<string, readonly string[]>>;
