/* Nine texts of fifteen characters, which the compiler does not know. */
#ifndef TEXTS_H
#define TEXTS_H

extern char texts[9][16];
char texts[9][16] = {"fifteen letter1", "fifteen letter2", "fifteen letter3",
                     "fifteen letter4", "fifteen letter5", "fifteen letter6",
                     "fifteen letter7", "fifteen letter8", "fifteen letter9"};

#endif
