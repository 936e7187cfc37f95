package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var fields [3][]byte
		for i, field := range strings.Split(lines.Text(), " ") {
			fields[i], _ = base64.StdEncoding.DecodeString(field)
		}
		fmt.Println(isAuthentic(fields[0], string(fields[1]), fields[2]))
	}
}
